// Makes intervals of means and of ratios of means.
#include "interval.h"

#include "common/memory.h"

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
    free(critical->bound);
    critical->quantile = NULL;
    critical->bound = NULL;
    critical->size = 0;
}

double critical_t(struct critical *critical, double df)
{
    double tail = (1 + critical->confidence) / 2;
    if (!(df > 0))
        return INFINITY;
    size_t whole = df < 1e5 ? (size_t)df : 0;
    if ((double)whole != df)
        return gsl_cdf_tdist_Pinv(tail, df);
    if (whole >= critical->size) {
        const size_t size = 2 * whole + 32;
        critical->quantile = must(reallocarray(critical->quantile, size, sizeof(double)));
        memset(critical->quantile + critical->size, 0, (size - critical->size) * sizeof(double));
        critical->size = size;
    }
    if (critical->quantile[whole] <= 0)
        critical->quantile[whole] = gsl_cdf_tdist_Pinv(tail, df);
    return critical->quantile[whole];
}

struct interval interval_unbounded(double center)
{
    return (struct interval){.center = center, .low = NAN, .high = NAN, .error = INFINITY};
}

struct interval interval_constant(double center)
{
    return (struct interval){.center = center, .low = center, .high = center, .constant = true};
}

struct interval interval_between(double center, double low, double high)
{
    return (struct interval){center, low, high, (high - low) / 2 / fabs(center), false};
}

bool interval_excludes_one(const struct interval *ratio)
{
    return ratio->low > 1 || ratio->high < 1;
}

struct interval interval_scaled(struct interval interval, double factor)
{
    interval.center *= factor;
    interval.low *= factor;
    interval.high *= factor;
    return interval;
}

struct interval interval_positive(struct interval interval)
{
    if (interval.low < 0 && interval.center > 0) {
        interval.low = 0;
        interval.error = interval.high / 2 / interval.center;
    }
    return interval;
}

struct interval interval_mean(struct critical *critical, double mean, double variance, size_t n,
                              double widen)
{
    if (n < 2)
        return interval_unbounded(n == 1 ? mean : NAN);
    double half =
        variance > 0 ? critical_t(critical, (double)n - 1) * widen * sqrt(variance / (double)n) : 0;
    if (!(half > 0))
        return interval_constant(mean);
    return (struct interval){mean, mean - half, mean + half, half / fabs(mean), false};
}

void pairs_sum(struct pairs *pairs, double x, double y)
{
    const double n = (double)++pairs->count, dx = x - pairs->mean_x, dy = y - pairs->mean_y;
    pairs->mean_x += dx / n;
    pairs->mean_y += dy / n;
    pairs->xx += dx * (x - pairs->mean_x);
    pairs->xy += dx * (y - pairs->mean_y);
    pairs->yy += dy * (y - pairs->mean_y);
}

void pairs_add(struct pairs *pairs, double x, double y)
{
    if (pairs->count == pairs->capacity) {
        pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 32;
        pairs->x = must(reallocarray(pairs->x, pairs->capacity, sizeof *pairs->x));
        pairs->y = must(reallocarray(pairs->y, pairs->capacity, sizeof *pairs->y));
    }
    pairs->x[pairs->count] = x;
    pairs->y[pairs->count] = y;
    pairs_sum(pairs, x, y);
}

void pairs_clear(struct pairs *pairs)
{
    *pairs = (struct pairs){.x = pairs->x, .y = pairs->y, .capacity = pairs->capacity};
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->x);
    free(pairs->y);
    *pairs = (struct pairs){0};
}

// (y - r x)^2 = t^2 (yy - 2 r xy + r^2 xx) / (n (n - 1)) is a r^2 - 2 b r + c = 0.
// The lower or the upper root; NAN where x is not surely above 0.
static double fieller_bound(const struct pairs *pairs, double t, bool upper)
{
    const double x = pairs->mean_x, y = pairs->mean_y, n = (double)pairs->count;
    const double k = t * t / (n * (n - 1));
    const double a = x * x - k * pairs->xx, b = x * y - k * pairs->xy, c = y * y - k * pairs->yy;
    if (!(a > 0) || !isfinite(t))
        return NAN;
    const double root = sqrt(fmax(b * b - a * c, 0)); // below 0 only by rounding
    return (b + (upper ? root : -root)) / a;
}

struct interval interval_ratio(const struct pairs *pairs, double t_low, double t_high)
{
    const double x = pairs->mean_x, center = pairs->mean_y / x;
    if (pairs->count == 0 || !(x > 0))
        return interval_unbounded(NAN);
    if (pairs->count < 2)
        return interval_unbounded(center);
    if (!(pairs->xx > 0) && !(pairs->yy > 0))
        return interval_constant(center);
    struct interval ratio = {.center = center,
                             .low = fieller_bound(pairs, t_low, false),
                             .high = fieller_bound(pairs, t_high, true)};
    if (isnan(ratio.low) || isnan(ratio.high))
        return interval_unbounded(center);
    ratio.error = center > 0 ? (ratio.high - ratio.low) / 2 / center : INFINITY;
    return ratio;
}

struct interval interval_of_reference(const struct interval *ratio, bool higher_is_better)
{
    if (!higher_is_better)
        return *ratio;
    struct interval plain = {.center = ratio->center > 0 ? 1 / ratio->center : NAN,
                             .low = ratio->high > 0 ? 1 / ratio->high : NAN,
                             .high = ratio->low > 0 ? 1 / ratio->low : NAN,
                             .error = ratio->error,
                             .constant = ratio->constant};
    if (ratio->constant)
        return plain;
    plain.error = plain.low > 0 && plain.high > 0 ? (plain.high - plain.low) / 2 / plain.center
                                                  : (double)INFINITY;
    return plain;
}
