#include "location.h"

#include "shape.h"

#include <math.h>

// Found with `make simulate`; the alternatives are in docs/statistics.md.
static const double look_cost = 0.13; // of having looked: 1 + look_cost / sqrt(n)
static const double skew_cost = 3.0;  // times squared skewness / n
static const double skew_noise = 3;   // squared skewness that normal values show, times n
static const double skew_most = 4;    // squared
enum { CORRECT_FROM = 4 };

double location_widening(size_t n, bool sequential)
{
    return sequential ? 1 + look_cost / sqrt((double)n) : 1;
}

// Two peaks, by chance most values in one of them: the sample's own variance
// is then far too small. The share of each is taken as (k + 1) / (n + 2), as
// A. Agresti and B. A. Coull do for a binomial share (Am. Stat. 52, 1998).
static double smoothed_variance(const struct sample *sample, const struct split *split)
{
    double n = (double)sample->count, share = ((double)split->lower + 1) / (n + 2);
    double gap = split->high_mean - split->low_mean;
    return fmax(sample_variance(sample),
                split->within + gap * gap * share * (1 - share) * n / (n - 1));
}

// The error of the t interval of skewed values grows with skewness^2 / n, and
// it is the side of the long tail that falls short: P. Hall, "The Bootstrap and
// Edgeworth Expansion" (1992), section 2.6.
static void widen_for_skewness(const struct sample *sample, struct interval *interval)
{
    double n = (double)sample->count, skewness = sample_skewness(sample);
    double excess = fmin(skewness * skewness, skew_most) - skew_noise / n;
    double more = excess > 0 ? 2 * skew_cost * excess / n * (interval->high - interval->center) : 0;
    if (more <= 0)
        return;
    if (skewness > 0)
        interval->high += more;
    else
        interval->low -= more;
    interval->error = (interval->high - interval->low) / 2 / fabs(interval->center);
}

struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  bool sequential, double factor)
{
    size_t n = sample->count;
    // What dependence may cost pays for having looked, too, where it is more.
    double widen = fmax(sqrt(factor), location_widening(n, sequential));
    if (n < CORRECT_FROM)
        return interval_mean(critical, sample->mean, sample_variance(sample), n, widen);
    struct split split = shape_split(sample);
    double variance = split.lower > 0 ? smoothed_variance(sample, &split) : sample_variance(sample);
    struct interval interval = interval_mean(critical, sample->mean, variance, n, widen);
    // Of two peaks the shares say all, the skewness only follows from them.
    if (split.lower == 0)
        widen_for_skewness(sample, &interval);
    return interval;
}
