#include "compare.h"

#include "metrics.h"
#include "stretch.h"

#include <math.h>

static const struct interval unknown = {.center = NAN, .low = NAN, .high = NAN, .error = INFINITY};

// The runs of the two share no block, so they are two independent samples: the
// ratio's interval is that of the difference of the log means, with
// B. L. Welch's degrees of freedom (Biometrika 34, 1947). The delta method
// gives the variance of a log mean; it is good where the mean is far from 0. Skewed
// means are wider on one side, as they are by themselves.
struct interval compare_ratio(struct critical *critical, struct session *a, size_t condition_a,
                              struct session *b, size_t condition_b, enum metric metric)
{
    const struct condition *one = &a->conditions[condition_a], *other = &b->conditions[condition_b];
    const struct sample *x = &one->metric[metric], *y = &other->metric[metric];
    if (x->count < 2 || y->count < 2 || !(x->mean > 0) || !(y->mean > 0) ||
        one->censored + other->censored > 0)
        return unknown;
    double vx = metric_mean_variance(a, condition_a, metric) / (x->mean * x->mean);
    double vy = metric_mean_variance(b, condition_b, metric) / (y->mean * y->mean);
    double center = y->mean / x->mean, sum = vx + vy;
    if (!(sum > 0))
        return interval_constant(center);
    double df = sum * sum / (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    // The ratio is as far up as the one mean is up and the other down.
    const double t = critical_t(critical, df);
    const struct stretch sx = stretch_of(x, false), sy = stretch_of(y, false);
    const double down = t * hypot(sqrt(vy) * sy.low, sqrt(vx) * sx.high);
    const double up = t * hypot(sqrt(vy) * sy.high, sqrt(vx) * sx.low);
    struct interval ratio = {.center = center, .low = center * exp(-down), .high = center * exp(up)};
    ratio.error = (ratio.high - ratio.low) / 2 / center;
    return ratio;
}
