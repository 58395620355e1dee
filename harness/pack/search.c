#include "search.h"

#include <math.h>

static const double slack = 1.25;     /* of a run: neighbours slow it down */
static const double between_s = 0.03; /* from one run to the next */
enum { BLOCKS_LEAST = 5, PARTS = 4 }; /* of a gap that a stage divides */

static double run_s(const struct search *search, size_t copies)
{
    const double turns = fmax(1, (double)copies / (double)search->room);
    return search->trial_s * turns * slack + between_s;
}

double search_blocks(const struct search *search, const size_t *count, size_t counts,
                     double seconds)
{
    double block_s = search->trial_s + between_s;
    for (size_t i = 0; i < counts; i++)
        block_s += run_s(search, count[i]);
    return seconds / block_s;
}

static size_t all_of(const struct search *search, size_t *count)
{
    size_t counts = 0;
    for (size_t n = search->least; n <= search->most && counts < SEARCH_COUNTS_MOST; n++)
        count[counts++] = n;
    return counts;
}

/* least, and twice as many each time, up to most. */
static size_t doublings(const struct search *search, size_t *count)
{
    size_t counts = 0;
    for (size_t n = search->least; n < search->most; n *= 2)
        count[counts++] = n;
    count[counts++] = search->most;
    return counts;
}

/* Leaves out every second number but the last. */
static size_t thinned(size_t *count, size_t counts)
{
    size_t kept = 0;
    for (size_t i = (counts - 1) % 2; i < counts; i += 2)
        count[kept++] = count[i];
    return kept;
}

static size_t largest_gap(const struct search *search, const size_t *count, size_t counts)
{
    size_t gap = 0, before = search->least - 1;
    for (size_t i = 0; i < counts; before = count[i++])
        if (count[i] - before > gap)
            gap = count[i] - before;
    return gap;
}

size_t search_first(const struct search *search, size_t *count, size_t *stages)
{
    size_t counts = all_of(search, count);
    *stages = 1;
    if (counts == search->most - search->least + 1 &&
        search_blocks(search, count, counts, search->left_s) >= (double)search->min_runs)
        return counts;
    counts = doublings(search, count);
    while (counts > 1 &&
           search_blocks(search, count, counts, search_first_share * search->left_s) < BLOCKS_LEAST)
        counts = thinned(count, counts);
    for (size_t gap = largest_gap(search, count, counts); gap > 1; gap = (gap + PARTS - 1) / PARTS)
        (*stages)++;
    return counts;
}

/* Adds numbers that divide the gap between two others evenly. Returns how many there are then. */
static size_t divide(size_t low, size_t high, size_t parts, size_t *count, size_t counts)
{
    size_t last = low;
    for (size_t i = 1; i < parts && counts < SEARCH_COUNTS_MOST; i++) {
        const size_t n = low + (high - low) * i / parts;
        if (n > last && n < high)
            count[counts++] = last = n;
    }
    return counts;
}

static size_t sorted_once(size_t *count, size_t counts)
{
    size_t kept = 0;
    for (size_t i = 1; i < counts; i++)
        for (size_t k = i; k > 0 && count[k - 1] > count[k]; k--) {
            const size_t swapped = count[k];
            count[k] = count[k - 1];
            count[k - 1] = swapped;
        }
    for (size_t i = 0; i < counts; i++)
        if (kept == 0 || count[kept - 1] != count[i])
            count[kept++] = count[i];
    return kept;
}

static size_t not_measured(const struct search *search, const struct search_point *point,
                           size_t points, size_t *count)
{
    size_t counts = 0, next = 0;
    for (size_t n = search->least; n <= search->most && counts < SEARCH_COUNTS_MOST; n++) {
        while (next < points && point[next].copies < n)
            next++;
        if (next == points || point[next].copies != n)
            count[counts++] = n;
    }
    while (counts > 1 && search_blocks(search, count, counts, search->left_s) < BLOCKS_LEAST)
        counts = thinned(count, counts);
    return counts;
}

size_t search_more(const struct search *search, const struct search_point *point, size_t points,
                   size_t *count)
{
    size_t counts = 0, low = search->least - 1, i = 0;
    if (!search_is_smooth(point, points))
        return not_measured(search, point, points, count);
    for (; i < points && point[i].below; i++)
        low = point[i].copies;
    if (i < points)
        counts = divide(low, point[i].copies, PARTS, count, counts);
    low = search->least - 1;
    for (i = 0; i < points; low = point[i++].copies)
        if (point[i].in_knee || (i > 0 && point[i - 1].in_knee))
            counts = divide(low, point[i].copies, 2, count, counts);
    counts = sorted_once(count, counts);
    return search_blocks(search, count, counts, search->left_s) < BLOCKS_LEAST ? 0 : counts;
}

bool search_is_smooth(const struct search_point *point, size_t points)
{
    double highest = 0; /* a slowdown that fewer copies surely have */
    for (size_t i = 0; i < points; i++) {
        if (point[i].slowdown_high < highest)
            return false;
        highest = fmax(highest, isnan(point[i].slowdown_low) ? 0 : point[i].slowdown_low);
    }
    return true;
}
