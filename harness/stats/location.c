#include "location.h"

#include "stretch.h"

#include <math.h>

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
