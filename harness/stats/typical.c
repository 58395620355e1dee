#include "typical.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "order.h"
#include "ranks.h"

static bool has_ratios(const struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (!(pairs->x[i] > 0) || !(pairs->y[i] > 0))
            return false;
    return true;
}

// Changes farther than so many robust standard deviations from their median count as that far. To
// signed ranks a straggler is the farthest of all either way; but two in fifteen are enough to take
// a bound with them, to halfway between a straggler and the others. Found with `make simulate`.
static const double far = 3, normal_mad = 1.4826;

// The median of x, which `scratch` holds for a moment.
static double scale_of(const struct pairs *pairs, struct sample *scratch)
{
    sample_begin(scratch, pairs->count);
    for (size_t i = 0; i < pairs->count; i++)
        scratch->value[i] = pairs->x[i];
    sample_finish(scratch, pairs->count);
    return sample_median(scratch);
}

enum change typical_changes(const struct pairs *pairs, struct sample *changes)
{
    const size_t n = pairs->count;
    const bool ratios = has_ratios(pairs);
    const double scale = ratios || n == 0 ? 1 : scale_of(pairs, changes);
    if (n == 0 || !(scale > 0))
        return CHANGE_NONE;
    sample_begin(changes, n);
    for (size_t i = 0; i < n; i++)
        changes->value[i] =
            ratios ? log(pairs->y[i] / pairs->x[i]) : (pairs->y[i] - pairs->x[i]) / scale;
    sample_finish(changes, n);
    return ratios ? CHANGE_LOGARITHM : CHANGE_DIFFERENCE;
}

static double ratio_at(enum change change, double value)
{
    return change == CHANGE_LOGARITHM ? exp(value) : 1 + value;
}

// The centre of the changes and its bounds.
static struct interval centre_of(struct critical *critical, const struct sample *changes)
{
    const size_t n = changes->count;
    const double median = sample_median(changes), mad = sample_mad(changes);
    const double reach = mad > 0 ? far * normal_mad * mad : INFINITY;
    double *sorted = must(malloc(n * sizeof *sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = fmax(fmin(changes->sorted[i], median + reach), median - reach);
    const struct interval centre = ranks_interval(ranks_bound(critical, n), sorted, n);
    free(sorted);
    return centre;
}

struct interval typical_of(struct critical *critical, enum change change,
                           const struct sample *changes, double widen)
{
    const size_t n = changes->count;
    if (change == CHANGE_NONE || n == 0)
        return interval_unbounded(NAN);
    const struct interval centre = centre_of(critical, changes);
    struct interval ratio = {.center = ratio_at(change, centre.center)};
    if (n > 1 && changes->sorted[0] == changes->sorted[n - 1])
        return interval_constant(ratio.center);
    ratio.low = ratio_at(change, centre.center - widen * (centre.center - centre.low));
    ratio.high = ratio_at(change, centre.center + widen * (centre.high - centre.center));
    ratio.error = isnan(ratio.low) || !(ratio.center > 0)
                      ? INFINITY
                      : (ratio.high - ratio.low) / 2 / ratio.center;
    return ratio;
}

struct interval typical_ratio(struct critical *critical, const struct pairs *pairs, double widen)
{
    struct sample changes = {0};
    const enum change change = typical_changes(pairs, &changes);
    const struct interval ratio = typical_of(critical, change, &changes, widen);
    sample_free(&changes);
    return ratio;
}

double typical_error_of_one(const struct pairs *pairs)
{
    struct sample changes = {0};
    const enum change change = typical_changes(pairs, &changes);
    const double spread = normal_mad * sample_mad(&changes);
    const double ratio = ratio_at(change, sample_median(&changes));
    sample_free(&changes);
    return change == CHANGE_NONE ? NAN : change == CHANGE_LOGARITHM ? spread : spread / fabs(ratio);
}

// Found with `make simulate`; the alternatives are in docs/statistics.md.
static const double look_cost = 0.13; // of having looked: look_cost / sqrt(n)
static const double few_cost = 0.8;   // of having looked early: few_cost / min_runs,
static const double few = 12;         // less what that is with so many

double location_widening(const struct settings *settings, size_t n)
{
    if (!settings_is_sequential(settings))
        return 1;
    const double early = fmax(1 / (double)settings->min_runs - 1 / few, 0);
    return 1 + look_cost / sqrt((double)n) + few_cost * early;
}

struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  double widen)
{
    struct interval interval =
        interval_mean(critical, sample->mean, sample_variance(sample), sample->count, widen);
    if (interval.constant || !isfinite(interval.error))
        return interval;
    const struct stretch stretch = stretch_of(sample, false, false);
    const double half = interval.high - interval.center;
    interval.low = interval.center - half * stretch.low;
    interval.high = interval.center + half * stretch.high;
    interval.error = (interval.high - interval.low) / 2 / fabs(interval.center);
    return interval;
}
