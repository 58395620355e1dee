#include "capacity.h"

#include "threshold.h"

#include <math.h>
#include <stdlib.h>

// How likely the next run is to keep the objectives, from block to block: in the middle the
// answer is least known, at the sides runs show the slope and the noise.
static const double chances[] = {0.5, 0.15, 0.5, 0.85};
enum { CHANCES = sizeof chances / sizeof *chances };

static const double known = 1; // an error above this is none

// The share of the posterior outside of an interval, over 1 - confidence: an interval that ends
// the search when it is narrow is too narrow a little more often than one that does not. By
// simulation (simulate --tables capacity).
static const double early = 0.6;

struct capacity_fit {
    struct threshold threshold;
    size_t seen; // of the condition's runs; 0: not fitted
    bool fitted;
};

static struct stimuli range_of(const struct settings *settings)
{
    return (struct stimuli){log(settings->vary.low), log(settings->vary.high)};
}

static bool is_trial(const struct session *session, const struct observation *run, size_t condition)
{
    return run->condition == (int)condition && session_uses(session, run) && !isnan(run->x) &&
           !isnan(run->y);
}

static void fit(struct session *session, size_t condition, struct threshold *threshold)
{
    struct trial *trials = calloc(session->count + 1, sizeof *trials);
    const struct stimuli range = range_of(session->settings);
    size_t count = 0;
    for (size_t i = 0; trials && i < session->count; i++)
        if (is_trial(session, &session->runs[i], condition))
            trials[count++] = (struct trial){session->runs[i].x, session->runs[i].y};
    threshold_fit(threshold, &range, trials, count);
    free(trials);
}

// The posterior of a condition, fitted again once it has more runs. NULL if memory ran out.
static const struct threshold *posterior(struct session *session, size_t condition)
{
    if (!session->fits)
        session->fits = calloc(session->settings->condition_count, sizeof *session->fits);
    if (!session->fits)
        return NULL;
    struct capacity_fit *one = &session->fits[condition];
    if (!one->fitted || one->seen != session->conditions[condition].seen) {
        fit(session, condition, &one->threshold);
        one->seen = session->conditions[condition].seen;
        one->fitted = true;
    }
    return &one->threshold;
}

static void count_runs(const struct session *session, size_t condition, struct capacity *capacity)
{
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (!is_trial(session, run, condition))
            continue;
        capacity->runs++;
        capacity->kept += run->y < 0 ? 1 : 0;
        capacity->timed_out += run->missed ? 1 : 0;
    }
}

// The largest value that keeps the objectives is an integer where all are.
static double settle(const struct vary *vary, double theta)
{
    const double value = exp(theta);
    return vary->whole ? floor(value) : value;
}

static void find_bound(const struct settings *settings, const struct threshold *threshold,
                       struct capacity *capacity)
{
    const struct stimuli range = range_of(settings);
    const double middle = threshold_quantile(threshold, 0.5);
    const double below = threshold_below(threshold, range.low);
    const double above = 1 - threshold_below(threshold, range.high);
    if (middle < range.low)
        capacity->bound = CAPACITY_BELOW;
    else if (middle >= range.high)
        capacity->bound = CAPACITY_AT_LEAST;
    else
        return;
    capacity->is_sure = fmax(below, above) >= settings->confidence;
}

struct capacity capacity_of(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    const struct threshold *threshold = posterior(session, condition);
    const double side = early * (1 - settings->confidence) / 2;
    struct capacity capacity = {.value = NAN, .low = NAN, .high = NAN, .error = INFINITY};
    count_runs(session, condition, &capacity);
    if (!threshold || capacity.runs == 0)
        return capacity;
    capacity.value = settle(&settings->vary, threshold_quantile(threshold, 0.5));
    capacity.low = settle(&settings->vary, threshold_quantile(threshold, side));
    capacity.high = settle(&settings->vary, threshold_quantile(threshold, 1 - side));
    find_bound(settings, threshold, &capacity);
    if (capacity.bound == CAPACITY_INSIDE)
        capacity.error = (capacity.high - capacity.low) / 2 / capacity.value;
    else if (capacity.is_sure)
        capacity.error = 0;
    return capacity;
}

double capacity_error(struct session *session)
{
    double worst = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        worst = fmax(worst, capacity_of(session, i).error);
    return worst < known ? worst : INFINITY;
}

double capacity_next(struct session *session, size_t condition, size_t block)
{
    const struct stimuli range = range_of(session->settings);
    const struct threshold *threshold = posterior(session, condition);
    const double x = threshold ? threshold_next(threshold, &range, chances[(block - 1) % CHANCES])
                               : (range.low + range.high) / 2;
    return vary_value(&session->settings->vary, x);
}

long capacity_forecast(struct session *session, double error)
{
    const struct settings *settings = session->settings;
    const double now = (double)session_blocks(session), width = (double)settings->condition_count;
    if (!(error < known) || now < 1)
        return -1;
    double blocks = fmax(ceil(now * pow(error / settings->error, 2)), (double)settings->min_runs);
    blocks = fmax(fmin(blocks, (double)settings->max_runs), now + 1);
    const double total = (blocks + (double)session_left_out(session)) * width;
    return (long)fmax(total - (double)session->count, 0);
}

struct interval capacity_ratio(struct session *session, size_t condition, size_t reference)
{
    const double side = early * (1 - session->settings->confidence) / 2;
    const struct threshold *a = posterior(session, condition), *b = posterior(session, reference);
    if (!a || !b || capacity_of(session, condition).bound != CAPACITY_INSIDE ||
        capacity_of(session, reference).bound != CAPACITY_INSIDE)
        return (struct interval){.center = NAN, .low = NAN, .high = NAN, .error = INFINITY};
    struct interval ratio = {.center = exp(threshold_difference(a, b, 0.5)),
                             .low = exp(threshold_difference(a, b, side)),
                             .high = exp(threshold_difference(a, b, 1 - side))};
    ratio.error = (ratio.high - ratio.low) / 2 / ratio.center;
    return ratio;
}
