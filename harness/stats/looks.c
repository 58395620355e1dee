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

double looks_rate(const struct looks *looks, double error_rate, size_t n)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    double first = (double)(looks->to > from ? looks->to : from), share = other_share * error_rate;
    if (n < from)
        return from > FIRST ? share / (double)(from - FIRST) : share;
    if ((double)n <= first)
        return rate_of_each(planned_share * error_rate, (double)from, first);
    // Each doubling has half of what is left.
    for (share /= 2; (double)n > 2 * first; first *= 2)
        share /= 2;
    return rate_of_each(share, first + 1, 2 * first);
}
