#include "series.h"

#include "order.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double far = 2.5;           // robust standard deviations; values beyond count as that
static const double normal_mad = 1.4826; // sd over MAD of a normal distribution

// Found with `make simulate --tables series`; what they reach is in docs/statistics.md.
static const double unsteady = 2.05, drift_level = 0.005; // said
static const double suspect = 1, drift_suspect = 0.2;     // allowed for, and looked into
static const double suspect_varies = -1;
static const double prior = 0.5; // of dependence, where it is allowed for
// Where it is not said, an interval is at most so many times as wide: few independent pairs that
// look alike by chance would else have one of five times its width.
static const double most_unsaid = 2.5;
enum { DRIFT_FROM = 6 };

// How far beside the median a value counts. Where more than half are alike there is no scale.
static double reach_of(const struct sample *sample)
{
    const double mad = sample_mad(sample);
    return mad > 0 ? far * normal_mad * mad : INFINITY;
}

static double near(const struct sample *sample, double reach, double value)
{
    const double median = sample_median(sample);
    return median + fmax(fmin(value - median, reach), -reach);
}

// Fills `value` with the deviations of all used runs, `reach` being that of each condition.
// Returns how many.
static size_t deviations(const struct session *session, size_t metric, const double *reach,
                         double *value)
{
    size_t count = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const struct sample *sample = &session->conditions[run->condition].metric[metric];
        const double variance = sample_variance(sample);
        if (session_uses(session, run) && !isnan(run->value[metric]) && variance > 0)
            value[count++] =
                (near(sample, reach[run->condition], run->value[metric]) - sample->mean) /
                sqrt(variance);
    }
    return count;
}

// Of values of that many kinds.
static struct dependence see(const double *value, size_t count, size_t kinds)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        const double delta = value[i] - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (value[i] - mean);
    }
    return dependence_see(value, count, mean, squares, kinds);
}

struct dependence series_dependence(const struct session *session, size_t metric)
{
    const size_t kinds = session->settings->condition_count;
    double reach[MAX_CONDITIONS], *value = must(malloc((session->count + 1) * sizeof *value));
    for (size_t i = 0; i < kinds; i++)
        reach[i] = reach_of(&session->conditions[i].metric[metric]);
    const size_t count = deviations(session, metric, reach, value);
    const struct dependence seen = see(value, count, kinds);
    free(value);
    return seen;
}

struct steadiness series_of_pairs(const struct sample *sample)
{
    const double reach = reach_of(sample), df = (double)sample->count - 2;
    double *value = must(malloc((sample->count + 1) * sizeof *value));
    for (size_t i = 0; i < sample->count; i++)
        value[i] = near(sample, reach, sample->value[i]);
    struct steadiness steadiness = {
        .seen = see(value, sample->count, 1), .drift_p = 1, .count = sample->count};
    if (sample->count >= DRIFT_FROM)
        steadiness.drift_p = 2 * gsl_cdf_tdist_Q(fabs(order_trend_t(value, sample->count)), df);
    free(value);
    return steadiness;
}

bool series_is_unsteady(const struct steadiness *steadiness)
{
    return steadiness->seen.alike > unsteady || steadiness->drift_p < drift_level;
}

bool series_is_suspect(const struct steadiness *steadiness, bool varies)
{
    return steadiness->seen.alike > (varies ? suspect_varies : suspect) ||
           steadiness->drift_p < drift_suspect;
}

double series_widening(const struct steadiness *steadiness)
{
    if (!(steadiness->seen.alike > suspect) && !series_is_unsteady(steadiness))
        return 1;
    const double factor = sqrt(dependence_factor(&steadiness->seen, prior, steadiness->count, 1));
    return series_is_unsteady(steadiness) ? factor : fmin(factor, most_unsaid);
}
