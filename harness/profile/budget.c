#include "budget.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the time that is left after the runs alone.
static const double sensitivity_share = 0.40, added_share = 0.12, pressure_share = 0.40;
static const double loaded_ratio = 1.5; // time under load / alone, on average
static const double load_s = 0.1;       // to resume a load, and until it is steady
static const double start_s = 0.5;      // an experiment's own start and end
static const double open_s = 0.4;       // until the reporters can begin
static const double least_sample_s = 0.5;
enum { ADDED_BLOCKS = 6, MOST_ADDED = 8, PRESSURE_BLOCKS = 4 };

// A run under load, with what is around it.
static double loaded_s(const struct budget_wish *wish)
{
    return loaded_ratio * wish->wall_s + wish->overhead_s + load_s;
}

static double block_s(const struct budget_wish *wish, size_t conditions)
{
    return wish->wall_s + wish->overhead_s + (double)(conditions - 1) * loaded_s(wish);
}

// Readings alone, beside each load and beside the program: of that a lap until it is steady, and a
// part of one more.
static double beside_s(const struct budget_wish *wish, double sample_s)
{
    return (double)(1 + wish->conditions) * (sample_s + open_s) + loaded_ratio * wish->wall_s;
}

// The total that gives each part its least.
static double least_s(const struct budget_wish *wish, double share)
{
    const double of_blocks_s = (BUDGET_BLOCKS * block_s(wish, wish->conditions) + start_s) / share;
    const double of_pressure_s =
        (PRESSURE_BLOCKS * beside_s(wish, least_sample_s) + start_s) / pressure_share;
    return wish->spent_s + (wish->has_pressure ? fmax(of_blocks_s, of_pressure_s) : of_blocks_s);
}

// What all parts will take, where so many runs need less than their share of the time.
static double expected_s(const struct budget_wish *wish, const struct budget *budget)
{
    const double runs = (double)wish->runs;
    return wish->spent_s + 3 * start_s +
           fmin(budget->sensitivity_s, runs * block_s(wish, wish->conditions)) +
           fmin(budget->added_s, runs * block_s(wish, budget->added + 1)) +
           fmin(budget->pressure_s, runs * beside_s(wish, budget->sample_s));
}

struct budget budget_of(const struct budget_wish *wish)
{
    struct budget budget = {0};
    const double left_s = fmax(wish->total_s - wish->spent_s, 0);
    double share = sensitivity_share;
    share += wish->adds ? 0 : added_share;
    share += wish->has_pressure ? 0 : pressure_share;
    budget.sensitivity_s = fmax(share * left_s - start_s, 0);
    budget.added_s = wish->adds ? fmax(added_share * left_s - start_s, 0) : 0;
    budget.pressure_s = wish->has_pressure ? fmax(pressure_share * left_s - start_s, 0) : 0;
    budget.least_s = least_s(wish, share);
    const double added = budget.added_s / ADDED_BLOCKS - wish->wall_s - wish->overhead_s;
    budget.added = added > 0 ? (size_t)fmin(added / loaded_s(wish), MOST_ADDED) : 0;
    // Long enough to meet most phases of the program, and short enough for many pairs.
    budget.sample_s =
        fmin(fmax(wish->wall_s, least_sample_s),
             fmax(least_sample_s, budget.pressure_s / (10 * (double)(1 + wish->conditions))));
    budget.expected_s = expected_s(wish, &budget);
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
