#include "harness/pressure/agree.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Of a disagreement by chance. Spells make the reporters' errors wider than a normal distribution
 * has them, so that it has to be rarer than it is for a load. */
#define UNLIKELY 1e-3

static size_t count_used(const struct invert_curves *curves, size_t first, const bool *used)
{
    size_t count = 0;
    for (size_t i = first; i < curves->reporters; i++)
        count += used[i];
    return count;
}

/* Chi-square of the best levels by the first signs and those of the others that are used (NULL:
 * none), and its degrees of freedom. False: these say nothing. */
static bool misfit(const struct invert_curves *curves, const struct invert_reading *reading,
                   size_t first, const bool *used, double *chi_square, size_t *freedom)
{
    struct invert_reading some = *reading;
    for (size_t i = first; i < curves->reporters; i++)
        if (used == NULL || !used[i])
            some.log_ratio[i] = NAN;
    return invert_misfit(curves, &some, chi_square, freedom);
}

/* The one without which the rest fits best, and chi-square then. */
static size_t find_worst(const struct invert_curves *curves, const struct invert_reading *reading,
                         size_t first, bool *used, double *lowest)
{
    size_t worst = first, freedom;
    double chi_square;
    *lowest = INFINITY;
    for (size_t i = first; i < curves->reporters; i++) {
        if (!used[i])
            continue;
        used[i] = false;
        if (misfit(curves, reading, first, used, &chi_square, &freedom) && chi_square < *lowest) {
            *lowest = chi_square;
            worst = i;
        }
        used[i] = true;
    }
    return worst;
}

/* Sets aside what the first signs contradict: all of the others together, or one of them. Returns
 * how likely it is by chance that the rest fits no better. */
static double set_aside(const struct invert_curves *curves, const struct invert_reading *reading,
                        size_t first, bool *used)
{
    double alone, together, without;
    size_t freedom, ignored;
    if (!misfit(curves, reading, first, NULL, &alone, &freedom))
        return 1;
    /* What no mixture explains is no better known than its residuals say. */
    const double scale = freedom > 0 ? fmax(1, alone / (double)freedom) : 1;
    for (size_t n; (n = count_used(curves, first, used)) > 0;) {
        if (!misfit(curves, reading, first, used, &together, &ignored))
            break;
        const size_t worst = find_worst(curves, reading, first, used, &without);
        if (!isfinite(without)) /* figures that no reference should have */
            break;
        const double all = gsl_cdf_chisq_Q(fmax(together - alone, 0) / scale, (double)n);
        const double one = gsl_cdf_chisq_Q(fmax(together - without, 0) / scale, 1) * (double)n;
        if (fmin(all, one) >= UNLIKELY)
            return fmin(fmin(2 * all, 2 * one), 1); /* two tests (Bonferroni) */
        used[worst] = false;
    }
    return 1;
}

double agree(const struct invert_curves *curves, struct invert_reading *reading, size_t first,
             bool used[INVERT_REPORTERS])
{
    for (size_t i = first; i < curves->reporters; i++)
        used[i] = isfinite(reading->log_ratio[i]);
    const double p = set_aside(curves, reading, first, used);
    for (size_t i = first; i < curves->reporters; i++)
        if (!used[i])
            reading->log_ratio[i] = NAN;
    return p;
}
