#include "stretch.h"

#include "shape.h"

#include <math.h>

// Found with `make simulate`; the alternatives are in docs/statistics.md.
static const double skew_cost = 6;  // times squared skewness / n
static const double skew_noise = 3; // squared skewness that normal values show, times n
static const double skew_most = 4;  // squared
static const double delay_cost = 8; // of a tail that may not have shown yet, over n
enum { FEW = 2 };                   // values of a smaller group whose size is not known yet

// Two groups, by chance most values in one of them: the sample's own variance
// is then far too small. The share of each is taken as (k + 1) / (n + 2), as
// A. Agresti and B. A. Coull do for a binomial share (Am. Stat. 52, 1998).
// Returns by how much the standard deviation grows.
static double smoothing(const struct sample *sample, const struct split *split)
{
    const double n = (double)sample->count, share = ((double)split->lower + 1) / (n + 2);
    const double gap = split->high_mean - split->low_mean;
    const double smooth = split->within + gap * gap * share * (1 - share) * n / (n - 1);
    return sqrt(fmax(smooth / sample_variance(sample), 1));
}

// The error of the t interval of skewed values grows with skewness^2 / n, and
// it is the side of the long tail that falls short: P. Hall, "The Bootstrap and
// Edgeworth Expansion" (1992), section 2.6.
static double skew_share(double skewness, double n)
{
    const double excess = fmin(skewness * skewness, skew_most) - skew_noise / n;
    return excess > 0 ? skew_cost * excess / n : 0;
}

// What a tail of delays that did not show yet asks of its side. One to the other side speaks
// against delays.
static double delay_share(double skewness, double n)
{
    return delay_cost / n * fmax(1 + fmin(skewness, 0), 0);
}

struct stretch stretch_of(const struct sample *sample, bool delayed, bool delayed_down)
{
    struct stretch stretch = {1, 1};
    const size_t n = sample->count;
    const struct split split = shape_split(sample);
    if (n < 2 || !(sample->squares > 0))
        return stretch;
    if (split.lower > 0) {
        const size_t fewer = split.lower < n - split.lower ? split.lower : n - split.lower;
        stretch.low = stretch.high = smoothing(sample, &split);
        // Of two groups the shares say all, the skewness only follows from them.
        if (fewer > FEW)
            return stretch;
    }
    const double skewness = sample_skewness(sample), share = skew_share(skewness, (double)n);
    const double up = delayed ? delay_share(skewness, (double)n) : 0;
    const double down = delayed_down ? delay_share(-skewness, (double)n) : 0;
    stretch.high *= 1 + fmax(skewness > 0 ? share : 0, up);
    stretch.low *= 1 + fmax(skewness < 0 ? share : 0, down);
    return stretch;
}
