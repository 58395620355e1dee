// Estimates the centre of differences and its bounds by their signed ranks.
#include "ranks.h"

#include "interval.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
