#include "budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the time that is left after the runs alone.
static const double sensitivity_share = 0.52, added_share = 0.18, pressure_share = 0.22;
static const double loaded_ratio = 1.5; // time under load / alone, on average
static const double load_s = 0.1;       // to resume a load, and until it is steady
static const double start_s = 0.5;      // an experiment's own start and end
static const double open_s = 0.4;       // until the reporters can begin
static const double least_sample_s = 0.5;
enum { ADDED_BLOCKS = 4, MOST_ADDED = 8, PRESSURE_BLOCKS = 4 };

struct budget budget_of(const struct budget_wish *wish)
{
    struct budget budget = {0};
    const double loaded_s = loaded_ratio * wish->wall_s + wish->overhead_s + load_s;
    const double left_s = fmax(wish->total_s - wish->spent_s, 0);
    double share = sensitivity_share;
    share += wish->adds ? 0 : added_share;
    share += wish->has_pressure ? 0 : pressure_share;
    budget.block_s = wish->wall_s + wish->overhead_s + (double)(wish->conditions - 1) * loaded_s;
    budget.sensitivity_s = fmax(share * left_s - start_s, 0);
    budget.added_s = wish->adds ? fmax(added_share * left_s - start_s, 0) : 0;
    budget.pressure_s = wish->has_pressure ? fmax(pressure_share * left_s - start_s, 0) : 0;
    budget.blocks = (size_t)(budget.sensitivity_s / budget.block_s);
    budget.least_s = (BUDGET_BLOCKS * budget.block_s + start_s) / share + wish->spent_s;
    // A lap until the load is steady, and a part of one more.
    const double beside_s = 2 * (least_sample_s + open_s) + loaded_ratio * wish->wall_s;
    if (wish->has_pressure)
        budget.least_s =
            fmax(budget.least_s,
                 (PRESSURE_BLOCKS * beside_s + start_s) / pressure_share + wish->spent_s);
    const double added = budget.added_s / ADDED_BLOCKS - wish->wall_s - wish->overhead_s;
    budget.added = added > 0 ? (size_t)fmin(added / loaded_s, MOST_ADDED) : 0;
    // Long enough to meet most phases of the program, and short enough for many pairs.
    budget.sample_s =
        fmin(fmax(wish->wall_s, least_sample_s), fmax(least_sample_s, budget.pressure_s / 20));
    return budget;
}

// Insertion by doubt, into at most `most` of which `count` are used.
static size_t insert(struct budget_level *level, size_t count, size_t most,
                     const struct budget_level *one)
{
    size_t at = count;
    while (at > 0 && level[at - 1].doubt < one->doubt)
        at--;
    if (at == most)
        return count;
    const size_t kept = count < most ? count : most - 1;
    memmove(&level[at + 1], &level[at], (kept - at) * sizeof *level);
    level[at] = *one;
    return kept + 1;
}

size_t budget_levels(const struct sensitivity *sensitivity, double tolerance,
                     struct budget_level *level, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sensitivity->count && most > 0; i++) {
        const struct sensitivity_curve *curve = &sensitivity->curve[i];
        double below = 0, log_below = 0;
        for (size_t k = 0; k < curve->count; k++) {
            const struct sensitivity_point *point = &curve->point[k];
            if (!isfinite(point->fit))
                continue;
            const double rise = log(point->fit) - log_below;
            struct budget_level one = {.level = (below + point->level) / 2, .doubt = rise / 2};
            strcpy(one.kind, curve->kind);
            if (one.doubt > tolerance && rise > point->sd)
                count = insert(level, count, most, &one);
            below = point->level;
            log_below = log(point->fit);
        }
    }
    return count;
}
