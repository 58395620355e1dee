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

static void reserve(struct critical *critical, size_t df)
{
    if (df < critical->size)
        return;
    const size_t size = 2 * df + 32;
    critical->quantile = must(reallocarray(critical->quantile, size, sizeof(double)));
    memset(critical->quantile + critical->size, 0, (size - critical->size) * sizeof(double));
    critical->size = size;
}

double critical_t(struct critical *critical, double df)
{
    double tail = (1 + critical->confidence) / 2;
    if (!(df > 0))
        return INFINITY;
    size_t whole = df < 1e5 ? (size_t)df : 0;
    if ((double)whole != df)
        return gsl_cdf_tdist_Pinv(tail, df);
    reserve(critical, whole);
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

void pairs_add(struct pairs *pairs, double x, double y)
{
    if (pairs->count == pairs->capacity) {
        pairs->capacity = pairs->capacity ? 2 * pairs->capacity : 32;
        pairs->x = must(reallocarray(pairs->x, pairs->capacity, sizeof *pairs->x));
        pairs->y = must(reallocarray(pairs->y, pairs->capacity, sizeof *pairs->y));
    }
    pairs->x[pairs->count] = x;
    pairs->y[pairs->count++] = y;
    double n = (double)pairs->count;
    double dx = x - pairs->mean_x, dy = y - pairs->mean_y;
    pairs->mean_x += dx / n;
    pairs->mean_y += dy / n;
    pairs->xx += dx * (x - pairs->mean_x);
    pairs->xy += dx * (y - pairs->mean_y);
    pairs->yy += dy * (y - pairs->mean_y);
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

const char *const verdict_names[VERDICTS] = {"undecided", "below", "above"};

const char *const bias_names[BIASES] = {
    [BIAS_ANY] = "any", [BIAS_LOW] = "low", [BIAS_ALL] = "all", [BIAS_ALL_LOW] = "all-low"};

bool bias_is_of_all(enum bias bias)
{
    return bias == BIAS_ALL || bias == BIAS_ALL_LOW;
}

// Less load than intended, or a baseline with a load's after-effects, makes a slowdown too low. The
// ratio of two variants it may move either way.
enum verdict bias_beside(enum bias bias, enum verdict verdict, bool variants)
{
    const bool low = !variants && (bias == BIAS_LOW || bias == BIAS_ALL_LOW);
    return bias == BIAS_NONE || (low && verdict == VERDICT_ABOVE) ? verdict : VERDICT_UNDECIDED;
}

static const char *const of_times[RELATIONS] = {"undecided", "faster", "slower", "same"};
static const char *const of_others[RELATIONS] = {"undecided", "better", "worse", "same"};

bool relation_is_time(const char *unit, bool higher_is_better)
{
    static const char *const units[] = {"s", "ms", "us", "\302\265s", "ns", "min", "h"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return !higher_is_better;
    return false;
}

const char *relation_name(enum relation relation, bool is_time)
{
    return (is_time ? of_times : of_others)[relation];
}

enum relation relation_of(const struct interval *ratio, double tolerance)
{
    if (tolerance > 0 && ratio->low >= 1 / (1 + tolerance) && ratio->high <= 1 + tolerance)
        return RELATION_SAME;
    if (ratio->low > 1)
        return RELATION_WORSE;
    return ratio->high < 1 ? RELATION_BETTER : RELATION_UNDECIDED;
}

void discovery_rates(const double *p, double *q, size_t count)
{
    double least = 1;
    // The step up: what a larger p allows, a smaller one does, too.
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, p[i] * (double)count / (double)(i + 1));
        q[i] = least;
    }
}

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
