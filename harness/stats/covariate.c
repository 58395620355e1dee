#include "covariate.h"

#include "common/gauge.h"
#include "judge.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static const double moved_p = 0.05;
enum { FIT_PAIRS = 4 };

struct covariate covariate_none(const struct pairs *pairs)
{
    return (struct covariate){.rest = *pairs, .scale = 1, .df = (double)pairs->count - 1};
}

// x and y less slope * c. The intercept's standard error is s sqrt(1/n + mean_c^2 / cc) with
// n - 2 degrees of freedom, where that of a mean is s sqrt(1/n) with n - 1 (for instance N. R.
// Draper and H. Smith, "Applied Regression Analysis" (1998), section 1.4).
struct covariate covariate_fit(const struct pairs *pairs)
{
    struct covariate fit = covariate_none(pairs);
    struct pairs *rest = &fit.rest;
    const double n = (double)pairs->count;
    if (pairs->count < FIT_PAIRS || !(pairs->cc > 0))
        return fit;
    fit.slope_x = pairs->cx / pairs->cc;
    fit.slope_y = pairs->cy / pairs->cc;
    rest->mean_x -= fit.slope_x * pairs->mean_c;
    rest->mean_y -= fit.slope_y * pairs->mean_c;
    rest->xx = fmax(rest->xx - fit.slope_x * pairs->cx, 0); // below 0 only by rounding
    rest->yy = fmax(rest->yy - fit.slope_y * pairs->cy, 0);
    rest->xy -= fit.slope_x * pairs->cy;
    fit.scale = sqrt((1 + n * pairs->mean_c * pairs->mean_c / pairs->cc) * (n - 1) / (n - 2));
    fit.df = n - 2;
    return fit;
}

bool covariate_is_moved(const struct pairs *pairs, double *p)
{
    const double n = (double)pairs->after;
    *p = NAN;
    if (pairs->after < 2 || !(pairs->after_squares > 0))
        return false;
    const double t = fabs(pairs->mean_after) / sqrt(pairs->after_squares / (n - 1) / n);
    *p = 2 * gsl_cdf_tdist_Q(t, n - 1);
    return *p < moved_p;
}

static double squares(const struct pairs *pairs, double ratio)
{
    return pairs->yy - 2 * ratio * pairs->xy + ratio * ratio * pairs->xx;
}

double covariate_explained(const struct pairs *pairs, const struct covariate *fit)
{
    const double ratio = fit->rest.mean_y / fit->rest.mean_x;
    const double all = squares(pairs, ratio) / ((double)pairs->count - 1);
    return all > 0 && fit->df > 0 ? 1 - squares(&fit->rest, ratio) / fit->df / all : NAN;
}

// NAN where one of its figures is missing: they are no logarithms then.
static double level_of(const json_t *reading)
{
    double sum = 0;
    for (enum gauge_figure i = 0; i < GAUGE_FIGURES; i++)
        sum += log(judge_number(reading, gauge_names[i]));
    return isfinite(sum) ? sum / GAUGE_FIGURES : NAN;
}

double covariate_of(const json_t *record, double *after)
{
    const json_t *gauge = json_object_get(record, "gauge");
    const double before = level_of(json_object_get(gauge, "before"));
    *after = level_of(json_object_get(gauge, "after"));
    return isnan(before) ? *after : isnan(*after) ? before : (before + *after) / 2;
}
