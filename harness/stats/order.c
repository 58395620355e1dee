#include "order.h"

#include <math.h>

#include "shape.h"

static void fit_line(const double *value, size_t n, double mean, double squares,
                     struct order *order)
{
    double count = (double)n, middle = (count - 1) / 2, xy = 0;
    double xx = count * (count * count - 1) / 12;
    for (size_t i = 0; i < n; i++)
        xy += ((double)i - middle) * (value[i] - mean);
    double slope = xy / xx, rest = fmax(squares - slope * xy, 1e-12 * squares);
    order->trend = slope * (count - 1);
    order->trend_t = slope / sqrt(rest / (count - 2) / xx);
}

static void find_step(const double *value, size_t n, double mean, double squares,
                      struct order *order)
{
    double before = 0, count = (double)n;
    for (size_t k = 1; k < n; k++) {
        before += value[k - 1] - mean;
        double first = (double)k, last = count - first;
        double gap = -before / last - before / first;
        double between = gap * gap * first * last / count;
        double rest = fmax(squares - between, 1e-12 * squares);
        double t = copysign(sqrt(between / (rest / (count - 2))), gap);
        // A single run at either end is an outlier or a warm-up, no step.
        if (k >= 2 && k + 2 <= n && fabs(t) > fabs(order->step_t)) {
            order->step_t = t;
            order->step = gap;
            order->step_at = k;
        }
    }
}

static double first_against_rest(const double *value, size_t n)
{
    double mean = 0, squares = 0, count = 0;
    for (size_t i = n / 2; i < n; i++) {
        double delta = value[i] - mean;
        mean += delta / ++count;
        squares += delta * (value[i] - mean);
    }
    double sd = sqrt(squares / (count - 1) * (1 + 1 / count));
    return sd > 0 ? (value[0] - mean) / sd : 0;
}

static void find_moments(const double *value, size_t n, double *mean, double *squares)
{
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double delta = value[i] - *mean;
        *mean += delta / (double)(i + 1);
        *squares += delta * (value[i] - *mean);
    }
}

double order_trend_t(const double *value, size_t n)
{
    double mean, squares;
    struct order order = {0};
    find_moments(value, n, &mean, &squares);
    if (n >= 4 && squares > 0)
        fit_line(value, n, mean, squares, &order);
    return order.trend_t;
}

struct order order_analyse(const double *value, size_t n)
{
    double mean, squares;
    struct order order = {0};
    find_moments(value, n, &mean, &squares);
    if (n < 4 || !(squares > 0))
        return order;
    fit_line(value, n, mean, squares, &order);
    find_step(value, n, mean, squares, &order);
    order.first_z = first_against_rest(value, n);
    return order;
}

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
