// Tells by the signs of differences whether there is an effect at all.
#include "signs.h"

#include "common/memory.h"
#include "common/random.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

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
