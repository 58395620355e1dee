#include "conformal.h"

#include <math.h>
#include <stdlib.h>

enum { TAILS = 21 };

struct weighted {
    double value, weight;
    size_t program;
};

struct sorted {
    struct weighted *item; // ascending
    size_t count, programs;
};

static int by_value(const void *a, const void *b)
{
    const double one = ((const struct weighted *)a)->value;
    const double other = ((const struct weighted *)b)->value;
    return (one > other) - (one < other);
}

// Programs are numbered from 0, perhaps with gaps; *size: one more than the last.
static size_t *pairs_of_programs(const struct residual *residuals, size_t count, size_t *size)
{
    *size = 0;
    for (size_t i = 0; i < count; i++)
        *size = residuals[i].program >= *size ? residuals[i].program + 1 : *size;
    size_t *pairs = calloc(*size + 1, sizeof *pairs);
    for (size_t i = 0; pairs && i < count; i++)
        pairs[residuals[i].program]++;
    return pairs;
}

static bool sort(const struct residual *residuals, size_t count, struct sorted *sorted,
                 size_t *size)
{
    size_t *pairs = pairs_of_programs(residuals, count, size);
    *sorted = (struct sorted){.count = count, .item = calloc(count + 1, sizeof *sorted->item)};
    const bool good = pairs && sorted->item;
    for (size_t i = 0; good && i < *size; i++)
        sorted->programs += pairs[i] > 0 ? 1 : 0;
    for (size_t i = 0; good && i < count; i++)
        sorted->item[i] = (struct weighted){.value = residuals[i].value,
                                            .program = residuals[i].program,
                                            .weight = 1 / (double)pairs[residuals[i].program]};
    if (good)
        qsort(sorted->item, count, sizeof *sorted->item, by_value);
    free(pairs);
    return good;
}

// The residual beyond which a share `tail` of the weight lies, without those of one program
// (that of no number: none is left out). above: beyond is above it.
static double beyond(const struct sorted *sorted, size_t without, bool left_out, double tail,
                     bool above)
{
    const double most = tail * (double)(sorted->programs - (left_out ? 1 : 0)) + 1e-9;
    double seen = 0, last = 0;
    for (size_t i = 0; i < sorted->count; i++) {
        const struct weighted *item = &sorted->item[above ? sorted->count - 1 - i : i];
        if (left_out && item->program == without)
            continue;
        last = item->value;
        seen += item->weight;
        if (seen > most)
            break;
    }
    return last;
}

// The mean over programs of the share of its residuals that the others' quantiles cover.
static double coverage(const struct sorted *sorted, size_t size, double tail)
{
    double covered = 0;
    for (size_t program = 0; program < size; program++) {
        const double low = beyond(sorted, program, true, tail, false);
        const double high = beyond(sorted, program, true, tail, true);
        for (size_t i = 0; i < sorted->count; i++) {
            const struct weighted *item = &sorted->item[i];
            if (item->program == program && item->value >= low && item->value <= high)
                covered += item->weight;
        }
    }
    return covered / (double)sorted->programs;
}

bool conformal_fit(const struct residual *residuals, size_t count, double level,
                   struct conformal *conformal)
{
    struct sorted sorted;
    size_t size;
    const bool good =
        sort(residuals, count, &sorted, &size) && sorted.programs >= CONFORMAL_PROGRAMS;
    // From the widest tails on to the extremes, until the level is covered.
    for (size_t i = 0; good && i < TAILS; i++) {
        conformal->tail = (1 - level) / 2 * (double)(TAILS - 1 - i) / (TAILS - 1);
        conformal->covered = coverage(&sorted, size, conformal->tail);
        if (conformal->covered >= level)
            break;
    }
    if (good) {
        conformal->low = beyond(&sorted, 0, false, conformal->tail, false);
        conformal->high = beyond(&sorted, 0, false, conformal->tail, true);
    }
    free(sorted.item);
    return good;
}
