// Which numbers of copies are measured: all of them where there is time, else those between which
// the
//  answer lies.

#include "search.h"

#include <math.h>

static const double slack = 1.25;     // of a run: neighbours slow it down
static const double between_s = 0.03; // from one run to the next
enum { BLOCKS_LEAST = 5, PARTS = 4 }; // of a gap that a stage divides

static void count_add(struct counts *counts, size_t n)
{
    if (counts->count < COUNTS_MOST)
        counts->item[counts->count++] = n;
}

double search_blocks(const struct search *search, const struct counts *counts, double seconds)
{
    double block_s = search->trial_s + between_s;
    for (size_t i = 0; i < counts->count; i++)
        block_s +=
            search->trial_s * fmax(1, (double)counts->item[i] / search->room) * slack + between_s;
    return seconds / block_s;
}

// Leaves out every second number but the last until enough blocks fit into so many seconds.
static void thin(const struct search *search, struct counts *counts, double seconds)
{
    while (counts->count > 1 && search_blocks(search, counts, seconds) < BLOCKS_LEAST) {
        size_t kept = 0;
        for (size_t i = (counts->count - 1) % 2; i < counts->count; i += 2)
            counts->item[kept++] = counts->item[i];
        counts->count = kept;
    }
}

struct counts first_counts(const struct search *search, double min_runs, size_t *stages)
{
    struct counts all = {0}, some = {0};
    size_t gap = 0, before = search->least - 1;
    *stages = 1;
    for (size_t n = search->least; n <= search->most; n++)
        count_add(&all, n);
    if (all.count == search->most - search->least + 1 &&
        search_blocks(search, &all, search->left_s) >= min_runs)
        return all;
    // The least, and twice as many each time, up to the most.
    for (size_t n = search->least; n < search->most; n *= 2)
        count_add(&some, n);
    count_add(&some, search->most);
    thin(search, &some, FIRST_SHARE * search->left_s);
    for (size_t i = 0; i < some.count; before = some.item[i++])
        gap = some.item[i] - before > gap ? some.item[i] - before : gap;
    for (; gap > 1; gap = (gap + PARTS - 1) / PARTS)
        (*stages)++;
    return some;
}

// Adds numbers that divide the gap between two others evenly.
static void divide(size_t low, size_t high, size_t parts, struct counts *counts)
{
    for (size_t i = 1, last = low; i < parts; i++) {
        const size_t n = low + (high - low) * i / parts;
        if (n > last && n < high)
            count_add(counts, last = n);
    }
}

static int ascending(const void *one, const void *other)
{
    const size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

struct counts more_counts(const struct search *search, const struct rows *rows)
{
    const size_t first = rows_first(rows);
    struct counts counts = {0};
    size_t low = search->least - 1, i = first, kept = 0;
    if (!rows_are_smooth(rows)) {
        for (size_t n = search->least; n <= search->most; n++) {
            while (i < rows->count && rows->row[i].copies < n)
                i++;
            if (i == rows->count || rows->row[i].copies != n)
                count_add(&counts, n);
        }
        thin(search, &counts, search->left_s);
        return counts;
    }
    for (; i < rows->count && rows->row[i].verdict == VERDICT_BELOW; i++)
        low = rows->row[i].copies;
    if (i < rows->count)
        divide(low, rows->row[i].copies, PARTS, &counts);
    low = search->least - 1;
    for (i = first; i < rows->count; low = rows->row[i++].copies)
        if (rows->row[i].in_knee || (i > first && rows->row[i - 1].in_knee))
            divide(low, rows->row[i].copies, 2, &counts);
    qsort(counts.item, counts.count, sizeof *counts.item, ascending);
    for (i = 0; i < counts.count; i++)
        if (kept == 0 || counts.item[kept - 1] != counts.item[i])
            counts.item[kept++] = counts.item[i];
    counts.count = kept;
    if (search_blocks(search, &counts, search->left_s) < BLOCKS_LEAST)
        counts.count = 0;
    return counts;
}
