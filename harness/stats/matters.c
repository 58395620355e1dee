// Tells whether what is odd about the runs could move a figure by more than was asked of it.
#include "matters.h"

#include "decide.h"
#include "harness/record/settings.h"
#include "interval.h"
#include "judgement.h"
#include "metrics.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

// Found with `make simulate --tables problems`: of experiments on independent runs at most 2 % have
// a problem, whatever they measure.
static const double trend_level = 0.004, dependent = 0.9;      // of a lone condition
static const double alike_level = 0.007, drift_level = 0.0015; // of all ratios together
static const double carried_level = 0.008;                     // of all loads together
static const double common_most = 0.5; // of an after-effect that all runs show
enum { WINDOWS = 5, WINDOW_LEAST = 2 };

bool matters_alone(struct session *session, size_t condition, size_t metric, enum flag flag)
{
    const struct settings *settings = session->settings;
    const struct sample *sample = &session->conditions[condition].metric[metric];
    const struct order order = order_analyse(sample->value, sample->count);
    const double error = settings->error * fabs(sample->mean);
    if (settings->condition_count > 1)
        return false;
    if (flag == FLAG_STEP)
        return fabs(order.step) > error;
    if (flag == FLAG_TREND)
        return fabs(order.trend) > error &&
               2 * gsl_cdf_tdist_Q(fabs(order.trend_t), (double)sample->count - 2) < trend_level;
    return metric_dependence(session, metric) > dependent &&
           metric_location(session, condition, metric).robust.error > settings->error;
}

// How many ratios could be unsteady by chance.
static double ratios_of(const struct settings *settings)
{
    double count = 0;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (enum against against = 0; against < PAIRINGS; against++)
            count += settings_compares(settings, i, against) ? 1 : 0;
    return count * (double)metrics_deciding(&settings->metrics);
}

// Each change as far as it counts beside the others, or NULL: there are none; to be freed.
static double *near_changes(struct session *session, struct ratio of, size_t *count)
{
    struct sample *changes = &session->scratch;
    if (typical_changes(session_pairs(session, of), changes) == CHANGE_NONE)
        return NULL;
    const double reach = series_reach(changes);
    double *value = must(calloc(changes->count + 1, sizeof *value));
    *count = changes->count;
    for (size_t i = 0; i < *count; i++)
        value[i] = series_near(changes, reach, changes->value[i]);
    return value;
}

// Between which means of a fifth of the experiment a ratio has moved, over itself.
static double range_of(const double *value, size_t n)
{
    const size_t width = n / WINDOWS > WINDOW_LEAST ? n / WINDOWS : WINDOW_LEAST;
    double sum = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        sum += value[i] - (i >= width ? value[i - width] : 0);
        if (i + 1 < width)
            continue;
        low = fmin(low, sum);
        high = fmax(high, sum);
    }
    return (high - low) / (double)width;
}

bool matters_unsteady(struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const struct interval ratio = metric_ratio(session, of);
    const struct steadiness *seen =
        &session->conditions[of.condition].look[of.against][of.metric].steadiness;
    const double family = ratios_of(settings);
    size_t count = 0;
    if (!metric_is_unsteady(session, of))
        return false;
    OWNED double *value = near_changes(session, of, &count);
    if (!value)
        return false;
    const bool alike = seen->seen.alike > gsl_cdf_ugaussian_Qinv(alike_level / family);
    const bool moves = settings_has_gate(settings) || ratio.error > settings->error ||
                       range_of(value, count) > settings->error;
    return (alike || seen->drift_p < drift_level / family) && moves;
}

// The runs of a session by their place within two blocks: interference that comes back as often
// stays at one place.
struct places {
    double level[MAX_CONDITIONS];      // mean logarithm of each condition
    double common[2 * MAX_CONDITIONS]; // how far from it loaded runs at that place are on average
};

static bool is_placed(const struct session *session, const struct observation *run, size_t metric)
{
    return session_uses(session, run) && run->follows >= 0 && run->value[metric] > 0;
}

static size_t place_of(const struct session *session, const struct observation *run)
{
    return (run->order - 1) % (2 * session->settings->condition_count);
}

static void places_find(const struct session *session, size_t metric, struct places *places)
{
    size_t runs[MAX_CONDITIONS] = {0}, at[2 * MAX_CONDITIONS] = {0};
    *places = (struct places){0};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        double *level = &places->level[run->condition];
        if (is_placed(session, run, metric))
            *level += (log(run->value[metric]) - *level) / (double)++runs[run->condition];
    }
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const size_t place = place_of(session, run);
        double *common = &places->common[place];
        if (is_placed(session, run, metric) &&
            settings_is_loaded(session->settings, run->condition))
            *common += (log(run->value[metric]) - places->level[run->condition] - *common) /
                       (double)++at[place];
    }
}

// How much of the difference between unloaded runs after a load and others is due to their places,
// as the loaded runs at the same places show it: interference that keeps step with the runs.
static double common_part(const struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const size_t load = settings_load(settings, condition);
    struct places places;
    double sum[2] = {0}, count[2] = {0};
    places_find(session, metric, &places);
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (!is_placed(session, run, metric) || settings_is_loaded(settings, run->condition))
            continue;
        const bool after = settings_is_loaded(settings, run->follows);
        if (after && settings_load(settings, (size_t)run->follows) != load)
            continue;
        sum[after] += places.common[place_of(session, run)];
        count[after]++;
    }
    return count[0] > 0 && count[1] > 0 ? sum[1] / count[1] - sum[0] / count[0] : 0;
}

bool matters_carry_over(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const struct carry_over found = carry_over_estimate(session, condition, metric);
    const double level = carried_level / (double)settings_loads(settings) /
                         (double)metrics_deciding(&settings->metrics);
    const bool moves =
        settings_has_gate(settings) || fmax(found.high - 1, 1 - found.low) > settings->error;
    return moves && found.p < level &&
           common_part(session, condition, metric) / log(found.ratio) < common_most;
}

bool matters_open(struct session *session, struct ratio of)
{
    return judgement_effect(session, of) == EFFECT_UNKNOWN;
}
