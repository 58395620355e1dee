// Compares two experiments: two versions, two nodes, two days.
#include "side_by_side.h"

#include "interval.h"
#include "metrics.h"
#include "sample.h"
#include "session.h"

#include "harness/record/objective.h"

#include <math.h>

static const struct sample *sample_of(const struct compared *one)
{
    return &one->session->conditions[one->condition].metric[one->metric];
}

// The runs of the two share no block, so they are two independent samples: the
// ratio's interval is that of the difference of the log means, with
// B. L. Welch's degrees of freedom (Biometrika 34, 1947). The delta method
// gives the variance of a log mean; it is good where the mean is far from 0. Skewed
// means are wider on one side, as they are by themselves.
static struct interval of_means(struct critical *critical, const struct compared *a,
                                const struct compared *b)
{
    const struct sample *x = sample_of(a), *y = sample_of(b);
    double vx = metric_mean_variance(a->session, a->condition, a->metric) / (x->mean * x->mean);
    double vy = metric_mean_variance(b->session, b->condition, b->metric) / (y->mean * y->mean);
    double center = y->mean / x->mean, sum = vx + vy;
    if (!(sum > 0))
        return interval_constant(center);
    double df = sum * sum / (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    // The ratio is as far up as the one mean is up and the other down.
    const double t = critical_t(critical, df);
    const struct stretch sx = stretch_of(x, false, false), sy = stretch_of(y, false, false);
    const double down = t * hypot(sqrt(vy) * sy.low, sqrt(vx) * sx.high);
    const double up = t * hypot(sqrt(vy) * sy.high, sqrt(vx) * sx.low);
    return interval_between(center, center * exp(-down), center * exp(up));
}

// The interval of a side's own figure with the confidence of `critical`.
static struct interval figure_of(struct critical *critical, const struct compared *one)
{
    struct session *session = one->session;
    const struct critical own = session->critical;
    session->critical = *critical;
    const struct interval interval = metric_location(session, one->condition, one->metric).interval;
    *critical = session->critical; // with the quantiles that it has learnt
    session->critical = own;
    return interval;
}

// Of other statistics, from the two intervals, on the logarithms: each bound is as far
// away as the two errors that lead there are together (method of variance estimates
// recovery: G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702).
static struct interval of_intervals(const struct interval *a, const struct interval *b)
{
    if (!(a->low > 0) || !(b->low > 0) || !isfinite(a->high) || !isfinite(b->high))
        return interval_unbounded(NAN);
    const double center = b->center / a->center;
    if (a->constant && b->constant)
        return interval_constant(center);
    const double down = hypot(log(b->center / b->low), log(a->high / a->center));
    const double up = hypot(log(b->high / b->center), log(a->center / a->low));
    return interval_between(center, center * exp(-down), center * exp(up));
}

struct interval compare_ratio(struct critical *critical, const struct compared *a,
                              const struct compared *b)
{
    const enum statistic statistic = a->session->settings->statistic;
    if (a->session->settings->metrics.item[a->metric].higher_is_better) {
        const struct compared *swapped = a;
        a = b;
        b = swapped;
    }
    const struct sample *x = sample_of(a), *y = sample_of(b);
    if (x->count < 2 || y->count < 2 || !(x->mean > 0) || !(y->mean > 0) ||
        a->session->conditions[a->condition].censored > 0 ||
        b->session->conditions[b->condition].censored > 0 ||
        a->session->settings->statistic != b->session->settings->statistic)
        return interval_unbounded(NAN);
    if (statistic == STATISTIC_MEAN)
        return of_means(critical, a, b);
    const struct interval figure_a = figure_of(critical, a), figure_b = figure_of(critical, b);
    return of_intervals(&figure_a, &figure_b);
}
