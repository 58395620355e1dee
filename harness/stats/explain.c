#include "explain.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static const double least = 5; // independent values: with fewer there is no interval worth a name

struct moments {
    double mean_x, mean_y, xx, xy, yy; // sums about the means
};

static struct moments moments_of(const double *x, const double *y, size_t n)
{
    struct moments moments = {0};
    for (size_t i = 0; i < n; i++) {
        const double dx = x[i] - moments.mean_x, dy = y[i] - moments.mean_y;
        moments.mean_x += dx / (double)(i + 1);
        moments.mean_y += dy / (double)(i + 1);
        moments.xx += dx * (x[i] - moments.mean_x);
        moments.xy += dx * (y[i] - moments.mean_y);
        moments.yy += dy * (y[i] - moments.mean_y);
    }
    return moments;
}

// Correlation of each value's deviation from the line a + b i (b 0: from the mean) with the next.
static double neighbours(const double *value, size_t n, double a, double b)
{
    double cross = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double here = value[i] - a - b * (double)i;
        squares += here * here;
        if (i + 1 < n)
            cross += here * (value[i + 1] - a - b * (double)(i + 1));
    }
    return squares > 0 ? cross / squares : 0;
}

// So many independent values are n of which neighbours have these correlations.
static double independent(size_t n, double rx, double ry)
{
    const double both = fmin(fmax(rx * ry, 0), 0.95);
    return (double)n * (1 - both) / (1 + both);
}

struct explained explain(const double *x, const double *y, size_t n, double confidence, bool series)
{
    struct explained result = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct moments sums = moments_of(x, y, n);
    const double all = (double)n;
    const double count =
        series ? independent(n, neighbours(x, n, sums.mean_x, 0), neighbours(y, n, sums.mean_y, 0))
               : all;
    if (!(sums.xx > 0) || !(sums.yy > 0) || !(count >= least))
        return result;
    const double r = fmin(fmax(sums.xy / sqrt(sums.xx * sums.yy), -0.999999), 0.999999);
    const double z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2) / sqrt(count - 3);
    const double low = tanh(atanh(r) - z), high = tanh(atanh(r) + z);
    const double error = sqrt((1 - r * r) / (count - 2) * sums.yy / sums.xx);
    const double half = gsl_cdf_tdist_Qinv((1 - confidence) / 2, count - 2) * error;
    result.n = count;
    result.r2 = r * r;
    result.adjusted = 1 - (1 - r * r) * (all - 1) / (all - 2);
    result.low = low * high > 0 ? fmin(low * low, high * high) : 0;
    result.high = fmax(low * low, high * high);
    result.slope = sums.xy / sums.xx;
    result.slope_low = result.slope - half;
    result.slope_high = result.slope + half;
    result.p = 2 * gsl_cdf_tdist_Q(fabs(result.slope) / error, count - 2);
    return result;
}

struct drift explain_drift(const double *y, size_t n, double confidence)
{
    const double count = (double)n, middle = (count - 1) / 2;
    double mean = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / count;
    for (size_t i = 0; i < n; i++) {
        xy += ((double)i - middle) * (y[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    if (count < least || !(yy > 0))
        return (struct drift){NAN, NAN, NAN, NAN};
    const double xx = count * (count * count - 1) / 12, slope = xy / xx;
    const double rest = fmax(yy - slope * xy, 1e-12 * yy);
    // A process of first order: the variance of a mean or a slope is (1 + r) / (1 - r) as large.
    // What is left of so few about a line shows less of r than there is: (2 + 4 r) / n on average
    // (F. H. C. Marriott and J. A. Pope, Biometrika 41 (1954) 390-402).
    const double seen = neighbours(y, n, mean - slope * middle, slope);
    const double r = fmin(fmax((seen * count + 2) / (count - 4), 0), 0.9);
    const double df = fmax((count - 2) * (1 - r) / (1 + r), 1);
    const double error = sqrt(rest / (count - 2) / xx * (1 + r) / (1 - r)) * (count - 1);
    const double change = slope * (count - 1);
    const double half = gsl_cdf_tdist_Qinv((1 - confidence) / 2, df) * error;
    return (struct drift){change, change - half, change + half,
                          2 * gsl_cdf_tdist_Q(fabs(change) / error, df)};
}

double explain_apart(const double *mean, const double *error, const double *df, size_t n)
{
    double weights = 0, center = 0, apart = 0, lambda = 0;
    const double k = (double)n;
    for (size_t i = 0; i < n; i++) {
        const double weight = 1 / (error[i] * error[i]);
        weights += weight;
        center += weight * mean[i];
    }
    if (n < 2 || !isfinite(weights) || !isfinite(center))
        return NAN;
    center /= weights;
    for (size_t i = 0; i < n; i++) {
        const double weight = 1 / (error[i] * error[i]);
        apart += weight * (mean[i] - center) * (mean[i] - center) / (k - 1);
        lambda += (1 - weight / weights) * (1 - weight / weights) / df[i];
    }
    const double f = apart / (1 + 2 * (k - 2) / (k * k - 1) * lambda);
    return gsl_cdf_fdist_Q(f, k - 1, (k * k - 1) / (3 * lambda));
}
