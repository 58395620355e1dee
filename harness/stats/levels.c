// Estimates a ratio over several sessions of one experiment.
#include "levels.h"

#include "interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// Of the hypothesis that loaded and base are the same on average.
static double paired_p(const struct pairs *pairs)
{
    const double n = (double)pairs->count;
    const double squares = pairs->yy - 2 * pairs->xy + pairs->xx;
    if (n < 2 || !(squares > 0))
        return NAN;
    const double t = (pairs->mean_y - pairs->mean_x) / sqrt(squares / (n - 1) / n);
    return 2 * gsl_cdf_tdist_Q(fabs(t), n - 1);
}

// The variance of the sessions' ratios is that between sessions, and that of their own
// means on top (a one-way random effects model, by its moments).
static void add_deviations(struct levels *levels, const struct level_session *session, size_t count)
{
    double mean = 0, squares = 0, own = 0, pair = 0;
    for (size_t i = 0; i < count; i++) {
        const double ratio = session[i].loaded / session[i].base, change = ratio - mean;
        mean += change / (double)(i + 1);
        squares += change * (ratio - mean);
        own += session[i].error * session[i].error / (double)count;
        pair += session[i].error * session[i].error * (double)session[i].runs / (double)count;
    }
    const double variance = squares / (double)(count - 1) - own;
    levels->within = sqrt(pair) / mean;
    levels->between = isnan(variance) ? NAN : sqrt(fmax(variance, 0)) / mean;
}

struct levels levels_estimate(struct critical *critical, const struct level_session *session,
                              size_t count)
{
    struct levels levels = {.p = NAN, .between = NAN, .within = NAN};
    struct pairs pairs = {0};
    for (size_t i = 0; i < count; i++)
        pairs_add(&pairs, session[i].base, session[i].loaded);
    const double t = critical_t(critical, (double)count - 1);
    levels.ratio = interval_positive(interval_ratio(&pairs, t, t));
    levels.p = paired_p(&pairs);
    if (count > 1)
        add_deviations(&levels, session, count);
    pairs_free(&pairs);
    return levels;
}
