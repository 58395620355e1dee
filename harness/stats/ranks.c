#include "ranks.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/random.h"

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
    double *chance = must(calloc(most + 1, sizeof *chance)), below = 0;
    size_t rank = 0;
    chance[0] = 1;
    for (size_t i = 1, reached = 0; i <= n; i++) {
        reached += i;
        for (size_t sum = reached + 1; sum-- > 0;)
            chance[sum] = (chance[sum] + (sum >= i ? chance[sum - i] : 0)) / 2;
    }
    while (rank < most && below + chance[rank] <= tail)
        below += chance[rank++];
    free(chance);
    return rank;
}

static size_t normal_bound(double tail, size_t n)
{
    const double count = (double)n, mean = count * (count + 1) / 4;
    const double deviation = sqrt(mean * (2 * count + 1) / 6);
    const double bound = mean - gsl_cdf_ugaussian_Qinv(tail) * deviation + 0.5;
    return bound >= 1 ? (size_t)bound : 0;
}

static size_t bound_at(double confidence, size_t n)
{
    const double tail = (1 - confidence) / 2;
    return n <= EXACT ? exact_bound(tail, n) : normal_bound(tail, n);
}

size_t ranks_bound(struct critical *critical, size_t n)
{
    if (n > EXACT)
        return bound_at(critical->confidence, n);
    if (!critical->bound) {
        critical->bound = must(malloc((EXACT + 1) * sizeof *critical->bound));
        memset(critical->bound, -1, (EXACT + 1) * sizeof *critical->bound);
    }
    if (critical->bound[n] == SIZE_MAX)
        critical->bound[n] = bound_at(critical->confidence, n);
    return critical->bound[n];
}

enum { EXACT_MOST = 17, DRAWN = 9999, WORD_BITS = 64 };

// Sums of differences of the same size in another order differ by rounding.
static const double rounding = 1e-9;

// A difference in its two scores: itself, and its signed rank.
struct score {
    double value, rank;
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

// Each score over its standard deviation when signs are drawn. Returns the sums.
static struct score scale_all(struct score *score, size_t n)
{
    double values = 0, ranks = 0;
    struct score sum = {0};
    for (size_t i = 0; i < n; i++) {
        values += score[i].value * score[i].value;
        ranks += score[i].rank * score[i].rank;
    }
    for (size_t i = 0; i < n; i++) {
        sum.value += score[i].value /= sqrt(values);
        sum.rank += score[i].rank /= sqrt(ranks);
    }
    return sum;
}

static double larger(const struct score *sum)
{
    return fmax(fabs(sum->value), fabs(sum->rank));
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
        sum.value += 2 * turned->value;
        sum.rank += 2 * turned->rank;
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
        }
        as_far += larger(&one) >= seen ? 1 : 0;
    }
    return (double)as_far / (DRAWN + 1);
}

static double p_of(const double *difference, size_t n, struct score *score, unsigned long seed)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (difference[i] != 0)
            score[count++].value = difference[i];
    if (count == 0)
        return 1;
    qsort(score, count, sizeof *score, by_size);
    rank_all(score, count);
    const struct score sum = scale_all(score, count);
    return count <= EXACT_MOST ? exact(score, count, sum) : drawn(score, count, &sum, seed);
}

double signs_p(const double *difference, size_t n, unsigned long seed)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(difference[i]))
            return NAN;
    if (n < SIGNS_LEAST)
        return NAN;
    struct score *score = must(malloc(n * sizeof *score));
    const double p = p_of(difference, n, score, seed);
    free(score);
    return p;
}
