// Tells whether the pairs of a ratio fall into two groups.
#include "groups.h"

#include <math.h>

// Found with `make simulate --tables modes` (docs/statistics.md). Below so many values nothing
// shows.
enum { GROUPS_FROM = 8 };
static const double least_share = 0.1; // of the values, or fewer are stragglers
// The variance within the groups, as a share of all: of few values chance leaves less of it.
static const double within_of_ten = 0.1, within_more = 0.005, within_most = 0.2;
static const double least_gap = 1.5; // between neighbours of the two, in deviations within them
// Of stragglers in both conditions each side has by chance some more: one that is as far again on
// the other side stands for so many on this one.
static const double both_sides = 3;

static bool is_group(double count, size_t n)
{
    return count > 1 && count > least_share * (double)n;
}

bool groups_beyond(const struct sample *changes, double reach)
{
    const double *sorted = sample_sorted(changes), median = sample_median(changes);
    const size_t n = changes->count;
    size_t below = 0, above = 0, far_below = 0, far_above = 0;
    for (size_t i = 0; i < n; i++) {
        const double off = sorted[i] - median;
        below += off < -reach;
        above += off > reach;
        far_below += off < -2 * reach;
        far_above += off > 2 * reach;
    }
    return is_group(fmax((double)above - both_sides * (double)far_below,
                         (double)below - both_sides * (double)far_above),
                    n);
}

// The best split of the sorted values into two groups: how many are in the lower one. `between` is
// the part of the squares that it explains.
static size_t best_split(const struct sample *changes, double *between)
{
    const double *sorted = sample_sorted(changes), total = changes->mean * (double)changes->count;
    const size_t n = changes->count;
    size_t lower = 0;
    double sum = 0;
    *between = 0;
    for (size_t k = 1; k < n; k++) {
        sum += sorted[k - 1];
        const double gap = (total - sum) / (double)(n - k) - sum / (double)k;
        const double explains = gap * gap * (double)k * (double)(n - k) / (double)n;
        if (explains > *between && is_group((double)(k < n - k ? k : n - k), n)) {
            *between = explains;
            lower = k;
        }
    }
    return lower;
}

static double middle(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

struct groups groups_of(const struct sample *changes)
{
    const size_t n = changes->count;
    double between;
    if (n < GROUPS_FROM || !(changes->squares > 0))
        return (struct groups){0};
    const size_t lower = best_split(changes, &between);
    const double *sorted = sample_sorted(changes);
    const double within = fmax(changes->squares - between, 0);
    const double most = fmin(within_of_ten + within_more * ((double)n - 10), within_most);
    if (lower == 0 || within > most * changes->squares ||
        sorted[lower] - sorted[lower - 1] < least_gap * sqrt(within / (double)(n - 2)))
        return (struct groups){0};
    return (struct groups){lower, n - lower, middle(sorted, lower),
                           middle(sorted + lower, n - lower)};
}
