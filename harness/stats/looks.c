// Shares the error rate of an experiment out among the looks at it.
#include "looks.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_expint.h>
#include <math.h>

// Looks: how sure each of several looks at a growing experiment must be, for all of them
// together to be wrong no more often than one look may be.

static const double planned_share = 0.9, other_share = 0.05;
static const double overshoot = 0.5826;            // Siegmund's rho
static const double few_looks = 0.75, early = 0.5; // of the factor; found by simulation
enum { HALVINGS = 60, FIRST = 2 };                 // no interval with fewer blocks

// With an end in time: the bound falls with this power of the share that is over, from at most so
// much, at which signed ranks of 15 pairs have an interval. A plan has room for this much more
// blocks than the time so far promises; and for as many as are made however long they take.
static const double falls = 0.2, highest = 3.5, room = 1.1;
static const double steeper = 1.07; // of the path; found by simulation
static const double fine = 1e-6;
enum { MANY_STEPS = 20 };

// The bound after n blocks: b is that of the last.
static double bound_at(double b, double n, double to, bool timed)
{
    return timed ? fmax(fmin(b * pow(n / to, -falls), highest), b) : b;
}

// What the path adds between two looks where the bound falls: in steps of the logarithm of n, by
// its height and how steeply it falls. What differs by a power of n is multiplied from step to
// step, as each look asks for this many times.
static double path_below(double b, double from, double to)
{
    const double step = log(to / from) / MANY_STEPS, lower = exp(-falls * step);
    const double narrower = exp(-step / 2), density = gsl_ran_ugaussian_pdf(0);
    double height = b * pow(from / to, -falls) * sqrt(lower);
    double width = sqrt(narrower) / sqrt(from), sum = 0;
    for (int i = 0; i < MANY_STEPS; i++) {
        const double here = fmax(fmin(height, highest), b);
        const double steep = here < height ? here : here * (1 + 2 * falls);
        sum += steep * exp(-here * here / 2 - overshoot * steep * width);
        height *= lower;
        width *= narrower;
    }
    return sum * step * density;
}

// The probability that |S_n| / sqrt(n) exceeds the bound at some n from `from` to `to`.
static double crossing(double b, double from, double to, bool timed)
{
    const double once = 2 * gsl_cdf_ugaussian_Q(bound_at(b, from, to, timed));
    if (!(to > from))
        return once;
    const double factor = 1 + few_looks * from / to + early / from;
    if (timed)
        return once + steeper * factor * path_below(b, from, to);
    const double path =
        gsl_sf_expint_E1(overshoot * b / sqrt(to)) - gsl_sf_expint_E1(overshoot * b / sqrt(from));
    return once + factor * 2 * b * gsl_ran_ugaussian_pdf(b) * path;
}

// The bound at the end of looks from `from` to `to` that leaves `error_rate` for all of them.
static double bound_for(double error_rate, double from, double to, bool timed)
{
    double low = 0, high = 40; // crossing() falls from 1 on
    // An integral each time: of a bound that falls a few digits will do.
    for (int i = 0; i < HALVINGS && !(timed && high - low < fine); i++) {
        const double middle = (low + high) / 2;
        if (2 * gsl_cdf_ugaussian_Q(middle) > error_rate ||
            crossing(middle, from, to, timed) > error_rate)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// The rate of each look from `from` to `to` that leaves `error_rate` for all of them.
static double rate_of_each(double error_rate, double from, double to)
{
    return 2 * gsl_cdf_ugaussian_Q(bound_for(error_rate, from, to, false));
}

// The first look with a share of the error rate of its own: FIRST for the earlier ones, that
// of the plan, or the one after each doubling.
static size_t share_begins(const struct looks *looks, size_t n, size_t *last)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t begin = from;
    *last = from - 1;
    if (n < from)
        return FIRST;
    for (*last = looks->to > from ? looks->to : from; n > *last; *last *= 2)
        begin = *last + 1;
    return begin;
}

bool looks_alike(const struct looks *looks, size_t a, size_t b)
{
    size_t last;
    const size_t begin = share_begins(looks, a, &last);
    const bool planned = looks->for_s > 0 && begin >= looks->from && last == looks->to;
    return planned ? a == b : begin == share_begins(looks, b, &last);
}

struct looks looks_in_time(const struct looks *looks, size_t blocks, double spent_s)
{
    struct looks plan = *looks;
    const double promised = ceil(room * (double)blocks * looks->for_s / spent_s);
    if (!(looks->for_s > 0) || !(promised > 0) || blocks == 0)
        plan.for_s = 0;
    else
        plan.to = (size_t)fmin(fmax(promised, DEFAULT_MAX_RUNS), MAX_RUNS_LIMIT);
    return plan;
}

double looks_rate(const struct looks *looks, double error_rate, size_t n)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t last;
    const size_t first = share_begins(looks, n, &last);
    double share = other_share * error_rate;
    if (n < from)
        return from > FIRST ? share / (double)(from - FIRST) : share;
    if (first == from && looks->for_s > 0) {
        const double b = bound_for(planned_share * error_rate, (double)from, (double)last, true);
        return 2 * gsl_cdf_ugaussian_Q(bound_at(b, (double)n, (double)last, true));
    }
    if (first == from)
        return rate_of_each(planned_share * error_rate, (double)from, (double)last);
    // Each doubling has half of what is left.
    for (size_t end = looks->to > from ? looks->to : from; end < last; end *= 2)
        share /= 2;
    return rate_of_each(share, (double)first, (double)last);
}
