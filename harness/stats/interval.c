#include "interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void critical_init(struct critical *critical, double confidence)
{
    *critical = (struct critical){.confidence = confidence};
}

void critical_free(struct critical *critical)
{
    free(critical->quantile);
    critical->quantile = NULL;
    critical->size = 0;
}

static bool reserve(struct critical *critical, size_t df)
{
    if (df < critical->size)
        return true;
    size_t size = 2 * df + 32;
    double *quantile = realloc(critical->quantile, size * sizeof *quantile);
    if (!quantile)
        return false;
    memset(quantile + critical->size, 0, (size - critical->size) * sizeof *quantile);
    critical->quantile = quantile;
    critical->size = size;
    return true;
}

double critical_t(struct critical *critical, double df)
{
    double tail = (1 + critical->confidence) / 2;
    if (!(df > 0))
        return INFINITY;
    size_t whole = df < 1e5 ? (size_t)df : 0;
    if ((double)whole != df || !reserve(critical, whole))
        return gsl_cdf_tdist_Pinv(tail, df);
    if (critical->quantile[whole] <= 0)
        critical->quantile[whole] = gsl_cdf_tdist_Pinv(tail, df);
    return critical->quantile[whole];
}

// Near the best choice for 10 to 60 pairs; it changes no error rate.
static const double mixture_c = 3;

double critical_sequence(double confidence, size_t n)
{
    double count = (double)n, rho = mixture_c / (count + mixture_c);
    if (n < 2)
        return INFINITY;
    double w = pow(1 / (1 - confidence) / sqrt(rho), 2 / count);
    return w * rho < 1 ? sqrt((count - 1) * (w - 1) / (1 - w * rho)) : INFINITY;
}

static struct interval unbounded(double center)
{
    return (struct interval){.center = center, .low = NAN, .high = NAN, .error = INFINITY};
}

struct interval interval_constant(double center)
{
    return (struct interval){.center = center, .low = center, .high = center, .constant = true};
}

struct interval interval_mean(struct critical *critical, double mean, double variance, size_t n,
                              double widen)
{
    if (n < 2)
        return unbounded(n == 1 ? mean : NAN);
    double half =
        variance > 0 ? critical_t(critical, (double)n - 1) * widen * sqrt(variance / (double)n) : 0;
    if (!(half > 0))
        return interval_constant(mean);
    return (struct interval){mean, mean - half, mean + half, half / fabs(mean), false};
}

void pairs_add(struct pairs *pairs, double x, double y)
{
    pairs->count++;
    double n = (double)pairs->count;
    double dx = x - pairs->mean_x, dy = y - pairs->mean_y;
    pairs->mean_x += dx / n;
    pairs->mean_y += dy / n;
    pairs->xx += dx * (x - pairs->mean_x);
    pairs->xy += dx * (y - pairs->mean_y);
    pairs->yy += dy * (y - pairs->mean_y);
}

struct interval interval_ratio(const struct pairs *pairs, double t)
{
    double x = pairs->mean_x, y = pairs->mean_y;
    if (pairs->count == 0 || !(x > 0))
        return unbounded(NAN);
    if (pairs->count < 2)
        return unbounded(y / x);
    // (y - r x)^2 = t^2 (yy - 2 r xy + r^2 xx) / (n (n - 1)) is a r^2 - 2 b r + c = 0.
    if (!(pairs->xx > 0) && !(pairs->yy > 0))
        return interval_constant(y / x);
    double n = (double)pairs->count, k = t * t / (n * (n - 1));
    double a = x * x - k * pairs->xx, b = x * y - k * pairs->xy, c = y * y - k * pairs->yy;
    double root = b * b - a * c;
    if (!(a > 0) || !isfinite(t))
        return unbounded(y / x);
    root = root > 0 ? sqrt(root) : 0; // below 0 only by rounding
    struct interval ratio = {.center = y / x, .low = (b - root) / a, .high = (b + root) / a};
    ratio.error = ratio.center > 0 ? (ratio.high - ratio.low) / 2 / ratio.center : INFINITY;
    return ratio;
}
