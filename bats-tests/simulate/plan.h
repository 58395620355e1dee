// The options, and the settings that the tables share.
#ifndef SIMULATE_PLAN_H
#define SIMULATE_PLAN_H

#include "trials.h"

struct plan {
    size_t experiments; // in each cell
    size_t threads;
    unsigned long seed;
    const char *populations; // names or beginnings of names, joined by commas; NULL: all
    const char *tables;      // names or beginnings of names, joined by commas; NULL: all
    double narrow;           // intervals are judged as if they were so many times as wide
    bool quick;              // few cells, bounds are checked
};

// When an experiment stops.
struct setting {
    const char *name;
    double oracle; // 0: at an error of 5 %; else at that which an oracle reaches with so many runs
    size_t min_runs, max_runs;
};

enum { SETTING_DEFAULT, SETTING_3_10, SETTING_5_15, SETTING_25, SETTING_80, SETTINGS };
extern const struct setting settings_of_plan[SETTINGS];

// Whether `name` begins with one of the names in `list` (NULL: any name does).
bool plan_wants(const char *list, const char *name);

// A cell of that setting. `ratio`: the true slowdown, 0 for one condition.
struct cell plan_cell(const struct plan *plan, const struct population *population,
                      const struct setting *setting, double ratio);

// The same, of medians. A lone condition has no true median where its level moves
// for good: the cell's truth is NAN.
struct cell plan_median(const struct plan *plan, const struct population *population,
                        const struct setting *setting, double ratio);

#endif
