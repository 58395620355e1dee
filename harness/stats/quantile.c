#include "quantile.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

enum { VALUES_MOST = 1000000 };

// The estimate number 8 of R. J. Hyndman and Y. Fan, "Sample quantiles in
// statistical packages", Am. Stat. 50 (1996) 361-365, which they recommend: its
// median is nearly that of the true quantile, whatever the distribution.
double quantile_value(double p, const double *sorted, size_t n)
{
    const double at = p * ((double)n + 1.0 / 3) + 1.0 / 3; // rank, from 1
    if (at <= 1)
        return sorted[0];
    if (at >= (double)n)
        return sorted[n - 1];
    const size_t below = (size_t)at;
    return sorted[below - 1] + (at - (double)below) * (sorted[below] - sorted[below - 1]);
}

// The r-th of n values in the direction of the bound: from below, or from above.
struct side {
    const double *sorted;
    size_t n;
    double p; // share of the values before the quantile, in that direction
    bool from_above;
};

static double ranked(const struct side *side, size_t rank)
{
    return side->sorted[side->from_above ? side->n - rank : rank - 1];
}

// Probability that the rank-th value is beyond the quantile: fewer than rank values
// are before it.
static double beyond(const struct side *side, size_t rank)
{
    return rank == 0 ? 0 : gsl_cdf_binomial_P((unsigned)rank - 1, side->p, (unsigned)side->n);
}

// A bound that the quantile is beyond with probability `tail`, whatever the
// distribution; NAN where even the outermost value is beyond it more often. Between
// two order statistics it is interpolated as by J. Nyblom, "Note on interpolated
// order statistics", Stat. Probab. Lett. 14 (1992) 129-131, which for the median is
// T. P. Hettmansperger and S. J. Sheather, Stat. Probab. Lett. 4 (1986) 75-79.
static double bound_by_rank(const struct side *side, double tail)
{
    size_t low = 0, high = side->n; // beyond(low) <= tail < beyond(high)
    if (beyond(side, 1) > tail)
        return NAN;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (beyond(side, middle) <= tail)
            low = middle;
        else
            high = middle;
    }
    const double n = (double)side->n, r = (double)low;
    const double below = beyond(side, low), above = beyond(side, high);
    const double inner = (n - r) * side->p * (tail - below);
    const double outer = r * (1 - side->p) * (above - tail);
    const double share = inner / (inner + outer);
    return ranked(side, low) + share * (ranked(side, high) - ranked(side, low));
}

struct interval quantile_interval(double confidence, double p, const double *sorted, size_t n)
{
    const struct side lower = {sorted, n, p, false}, upper = {sorted, n, 1 - p, true};
    const double error_rate = 1 - confidence;
    double low_tail = error_rate / 2, high_tail = error_rate / 2;
    if (beyond(&upper, 1) > high_tail) {
        high_tail = beyond(&upper, 1);
        low_tail = error_rate - high_tail;
    } else if (beyond(&lower, 1) > low_tail) {
        low_tail = beyond(&lower, 1);
        high_tail = error_rate - low_tail;
    }
    return (struct interval){.center = quantile_value(p, sorted, n),
                             .low = low_tail > 0 ? bound_by_rank(&lower, low_tail) : NAN,
                             .high = high_tail > 0 ? bound_by_rank(&upper, high_tail) : NAN};
}

size_t quantile_runs(double p, double confidence)
{
    size_t n = 1;
    while (n < VALUES_MOST && pow(p, (double)n) + pow(1 - p, (double)n) > 1 - confidence)
        n++;
    return n;
}
