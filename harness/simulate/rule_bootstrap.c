// Bootstrap intervals of the mean: B. Efron and R. J. Tibshirani, "An
// Introduction to the Bootstrap" (1993), chapters 12 to 14.
#include "rules.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>

enum { RESAMPLES = 399 };

static const double z95 = 1.959964;

// The mean of values drawn with replacement, and its standard error.
static double resample(struct seen *seen, double *error)
{
    const struct sample *s = &seen->base;
    double sum = 0, squares = 0, n = (double)s->count;
    for (size_t i = 0; i < s->count; i++) {
        double value = s->value[gsl_rng_uniform_int(seen->rng, s->count)] - s->mean;
        sum += value;
        squares += value * value;
    }
    *error = sqrt(fmax(squares - sum * sum / n, 0) / (n - 1) / n);
    return s->mean + sum / n;
}

static void sorted_means(struct seen *seen, double *mean)
{
    double error;
    for (size_t i = 0; i < RESAMPLES; i++)
        mean[i] = resample(seen, &error);
    gsl_sort(mean, 1, RESAMPLES);
}

static double quantile(const double *sorted, double share)
{
    double at = share * (RESAMPLES + 1) - 1;
    return sorted[at <= 0 ? 0 : at >= RESAMPLES - 1 ? RESAMPLES - 1 : (size_t)(at + 0.5)];
}

struct interval rule_percentile(struct seen *seen)
{
    double mean[RESAMPLES];
    sorted_means(seen, mean);
    return rule_around(seen->base.mean, quantile(mean, 0.025), quantile(mean, 0.975));
}

struct interval rule_bca(struct seen *seen)
{
    double mean[RESAMPLES];
    size_t below = 0;
    sorted_means(seen, mean);
    while (below < RESAMPLES && mean[below] < seen->base.mean)
        below++;
    double bias = gsl_cdf_ugaussian_Pinv(((double)below + 0.5) / (RESAMPLES + 1));
    // Of a mean the jackknife's acceleration is the skewness.
    double acceleration = sample_skewness(&seen->base) / 6 / sqrt((double)seen->base.count);
    double low = bias - z95, high = bias + z95;
    low = gsl_cdf_ugaussian_P(bias + low / (1 - acceleration * low));
    high = gsl_cdf_ugaussian_P(bias + high / (1 - acceleration * high));
    return rule_around(seen->base.mean, quantile(mean, low), quantile(mean, high));
}

struct interval rule_bootstrap_t(struct seen *seen)
{
    const struct sample *s = &seen->base;
    double t[RESAMPLES], own = sqrt(sample_variance(s) / (double)s->count);
    for (size_t i = 0; i < RESAMPLES; i++) {
        double error, mean = resample(seen, &error);
        t[i] = error > 0 ? (mean - s->mean) / error : 0;
    }
    gsl_sort(t, 1, RESAMPLES);
    return rule_around(s->mean, s->mean - quantile(t, 0.975) * own,
                       s->mean - quantile(t, 0.025) * own);
}
