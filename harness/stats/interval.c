#include "interval.h"

#include "common/memory.h"
#include "common/random.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
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

const char *const verdict_names[VERDICTS] = {"undecided", "below", "above"};

enum verdict verdict_by_bounds(double low, double high, double at_most)
{
    if (low > at_most)
        return VERDICT_ABOVE;
    return high <= at_most ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

enum verdict verdict_joined(enum verdict one, enum verdict other)
{
    if (one == VERDICT_ABOVE || other == VERDICT_ABOVE)
        return VERDICT_ABOVE;
    return one == other ? one : VERDICT_UNDECIDED;
}

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

struct ranked {
    size_t at;
    double p;
};

static int by_p(const void *a, const void *b)
{
    const double one = ((const struct ranked *)a)->p, other = ((const struct ranked *)b)->p;
    return (one > other) - (one < other);
}

void discovery_rates(const double *p, double *q, size_t count)
{
    OWNED struct ranked *ranked = must(calloc(count + 1, sizeof *ranked));
    double least = 1;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){i, p[i]};
    qsort(ranked, count, sizeof *ranked, by_p);
    // The step up: what a larger p allows, a smaller one does, too.
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
        q[ranked[i].at] = least;
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

// Beyond so many differences the sum of ranks is as good as normal.
enum { EXACT = 80, STEPS = 200 };

// ---- the averages of two differences, in ascending order ----

// How many are at most `value`, and the largest of those.
static size_t count_up_to(const double *sorted, size_t n, double value, double *largest)
{
    size_t count = 0, end = n; // of those that go with sorted[i]
    *largest = -INFINITY;
    for (size_t i = 0; i < end; i++) {
        while (end > i && (sorted[i] + sorted[end - 1]) / 2 > value)
            end--;
        if (end > i) {
            count += end - i;
            *largest = fmax(*largest, (sorted[i] + sorted[end - 1]) / 2);
        }
    }
    return count;
}

// The rank-th of them, from 1. By bisection, as there may be too many to be held.
static double average_at(const double *sorted, size_t n, size_t rank)
{
    double low = sorted[0], high = sorted[n - 1], largest;
    if (count_up_to(sorted, n, low, &largest) >= rank)
        return low;
    // Fewer than rank are at most `low`, and `high` is one of those that it may be.
    for (int i = 0; i < STEPS; i++) {
        const double middle = low + (high - low) / 2;
        if (!(middle > low) || !(middle < high))
            break;
        if (count_up_to(sorted, n, middle, &largest) >= rank)
            high = largest;
        else
            low = middle;
    }
    return high;
}

struct interval ranks_interval(size_t rank, const double *sorted, size_t n)
{
    const size_t all = n * (n + 1) / 2;
    const double lower = average_at(sorted, n, (all + 1) / 2);
    const double upper = all % 2 == 0 ? average_at(sorted, n, all / 2 + 1) : lower;
    return (struct interval){.center = (lower + upper) / 2,
                             .low = rank > 0 ? average_at(sorted, n, rank) : NAN,
                             .high = rank > 0 ? average_at(sorted, n, all + 1 - rank) : NAN};
}

// ---- the sum of the ranks of those above the centre ----

// Its distribution for n differences, each above or below with probability 1/2.
static size_t exact_bound(double tail, size_t n)
{
    const size_t most = n * (n + 1) / 2;
    OWNED double *chance = must(calloc(most + 1, sizeof *chance));
    double below = 0;
    size_t rank = 0;
    chance[0] = 1;
    for (size_t i = 1, reached = 0; i <= n; i++) {
        reached += i;
        for (size_t sum = reached + 1; sum-- > 0;)
            chance[sum] = (chance[sum] + (sum >= i ? chance[sum - i] : 0)) / 2;
    }
    while (rank < most && below + chance[rank] <= tail)
        below += chance[rank++];
    return rank;
}

static size_t normal_bound(double tail, size_t n)
{
    const double count = (double)n, mean = count * (count + 1) / 4;
    const double deviation = sqrt(mean * (2 * count + 1) / 6);
    const double bound = mean - gsl_cdf_ugaussian_Qinv(tail) * deviation + 0.5;
    return bound >= 1 ? (size_t)bound : 0;
}

size_t ranks_bound(struct critical *critical, size_t n)
{
    const double tail = (1 - critical->confidence) / 2;
    if (n > EXACT)
        return normal_bound(tail, n);
    if (!critical->bound) {
        critical->bound = must(malloc((EXACT + 1) * sizeof *critical->bound));
        memset(critical->bound, -1, (EXACT + 1) * sizeof *critical->bound);
    }
    if (critical->bound[n] == SIZE_MAX)
        critical->bound[n] = exact_bound(tail, n);
    return critical->bound[n];
}

enum { NEAR_PART = 4, EXACT_MOST = 17, DRAWN = 9999, WORD_BITS = 64 };

// Sums of differences of the same size in another order differ by rounding.
static const double rounding = 1e-9;

// A difference in its three scores: itself, its signed rank, and itself with a size that three in
// four reach where it is larger, so that stragglers on both sides do not hide what all others have.
struct score {
    double value, rank, near;
};

static int by_size(const void *a, const void *b)
{
    const double x = fabs(((const struct score *)a)->value);
    const double y = fabs(((const struct score *)b)->value);
    return (x > y) - (x < y);
}

// Of differences in the order of their sizes, ranks from 1; those alike share the mean of theirs.
static void rank_all(struct score *score, size_t n)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && by_size(&score[first], &score[end]) == 0;)
            end++;
        for (size_t i = first; i < end; i++)
            score[i].rank = copysign((double)(first + 1 + end) / 2, score[i].value);
    }
}

// Of differences in the order of their sizes.
static void near_all(struct score *score, size_t n)
{
    const double most = fabs(score[(n - 1) / NEAR_PART].value);
    for (size_t i = 0; i < n; i++)
        score[i].near = copysign(fmin(fabs(score[i].value), most), score[i].value);
}

// Each score over its standard deviation when signs are drawn. Returns the sums.
static struct score scale_all(struct score *score, size_t n)
{
    double values = 0, ranks = 0, near = 0;
    struct score sum = {0};
    for (size_t i = 0; i < n; i++) {
        values += score[i].value * score[i].value;
        ranks += score[i].rank * score[i].rank;
        near += score[i].near * score[i].near;
    }
    for (size_t i = 0; i < n; i++) {
        sum.value += score[i].value /= sqrt(values);
        sum.rank += score[i].rank /= sqrt(ranks);
        sum.near += score[i].near /= sqrt(near);
    }
    return sum;
}

static double larger(const struct score *sum)
{
    return fmax(fmax(fabs(sum->value), fabs(sum->rank)), fabs(sum->near));
}

// All signs but those that only turn the whole round: each differs from the one before in one
// sign (Gray's code).
static double exact(struct score *score, size_t n, struct score sum)
{
    const size_t all = (size_t)1 << (n - 1);
    const double seen = larger(&sum) - rounding;
    size_t as_far = 0;
    for (size_t number = 1;; number++) {
        as_far += larger(&sum) >= seen ? 1 : 0;
        if (number == all)
            return (double)as_far / (double)all;
        struct score *turned = &score[__builtin_ctzl(number)];
        turned->value = -turned->value;
        turned->rank = -turned->rank;
        turned->near = -turned->near;
        sum.value += 2 * turned->value;
        sum.rank += 2 * turned->rank;
        sum.near += 2 * turned->near;
    }
}

// With the signs as they are among those drawn (B. Phipson and G. K. Smyth, Stat. Appl. Genet.
// Mol. Biol. 9 (2010), article 39).
static double drawn(const struct score *score, size_t n, const struct score *sum, uint64_t state)
{
    const double seen = larger(sum) - rounding;
    size_t as_far = 1;
    for (size_t draw = 0; draw < DRAWN; draw++) {
        struct score one = {0};
        uint64_t bits = 0;
        for (size_t i = 0; i < n; i++, bits >>= 1) {
            if (i % WORD_BITS == 0)
                bits = random_next(&state);
            const double sign = bits & 1U ? 1 : -1;
            one.value += sign * score[i].value;
            one.rank += sign * score[i].rank;
            one.near += sign * score[i].near;
        }
        as_far += larger(&one) >= seen ? 1 : 0;
    }
    return (double)as_far / (DRAWN + 1);
}

double signs_p(const double *difference, size_t n, unsigned long seed)
{
    size_t count = 0;
    double p = 1;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(difference[i]))
            return NAN;
    if (n < SIGNS_LEAST)
        return NAN;
    OWNED struct score *score = must(malloc(n * sizeof *score));
    for (size_t i = 0; i < n; i++)
        if (difference[i] != 0)
            score[count++].value = difference[i];
    if (count > 0) {
        qsort(score, count, sizeof *score, by_size);
        rank_all(score, count);
        near_all(score, count);
        const struct score sum = scale_all(score, count);
        p = count <= EXACT_MOST ? exact(score, count, sum) : drawn(score, count, &sum, seed);
    }
    return p;
}
