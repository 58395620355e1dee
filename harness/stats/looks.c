#include "looks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_expint.h>
#include <math.h>

static const double planned_share = 0.9, other_share = 0.05;
static const double overshoot = 0.5826;            // Siegmund's rho
static const double few_looks = 0.75, early = 0.5; // of the factor; found by simulation
enum { HALVINGS = 60, FIRST = 2 };                 // no interval with fewer blocks

// The probability that |S_n| / sqrt(n) exceeds b at some n from `from` to `to`.
static double crossing(double b, double from, double to)
{
    const double once = 2 * gsl_cdf_ugaussian_Q(b);
    if (!(to > from))
        return once;
    const double path =
        gsl_sf_expint_E1(overshoot * b / sqrt(to)) - gsl_sf_expint_E1(overshoot * b / sqrt(from));
    const double factor = 1 + few_looks * from / to + early / from;
    return once + factor * 2 * b * gsl_ran_ugaussian_pdf(b) * path;
}

// The rate of each look from `from` to `to` that leaves `error_rate` for all of them.
static double rate_of_each(double error_rate, double from, double to)
{
    double low = 0, high = 40; // of b; crossing() falls from 1 on
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (2 * gsl_cdf_ugaussian_Q(middle) > error_rate || crossing(middle, from, to) > error_rate)
            low = middle;
        else
            high = middle;
    }
    return 2 * gsl_cdf_ugaussian_Q(high);
}

// The first look with a share of the error rate of its own: FIRST for the earlier ones, that
// of the plan, or the one after each doubling.
static size_t share_begins(const struct looks *looks, size_t n, size_t *last)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t begin = from;
    *last = n < from ? from - 1 : looks->to > from ? looks->to : from;
    if (n < from)
        return FIRST;
    for (; n > *last; *last *= 2)
        begin = *last + 1;
    return begin;
}

bool looks_alike(const struct looks *looks, size_t a, size_t b)
{
    size_t ignored;
    return share_begins(looks, a, &ignored) == share_begins(looks, b, &ignored);
}

double looks_rate(const struct looks *looks, double error_rate, size_t n)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t last;
    const size_t first = share_begins(looks, n, &last);
    double share = other_share * error_rate;
    if (n < from)
        return from > FIRST ? share / (double)(from - FIRST) : share;
    if (first == from)
        return rate_of_each(planned_share * error_rate, (double)from, (double)last);
    // Each doubling has half of what is left.
    for (size_t end = looks->to > from ? looks->to : from; end < last; end *= 2)
        share /= 2;
    return rate_of_each(share, (double)first, (double)last);
}
