// The options, as all tables share them.
#ifndef SIMULATE_PLAN_H
#define SIMULATE_PLAN_H

#include "trials.h"

struct plan {
    size_t experiments; // in each cell
    size_t threads;
    unsigned long seed;
    const char *populations; // names or beginnings of names, joined by commas; NULL: all
    double narrow;           // intervals are judged as if they were so many times as wide
    bool quick;              // few cells, bounds are checked
};

// Whether `name` begins with one of the names in `list` (NULL: any name does).
bool plan_wants(const char *list, const char *name);

// A cell with the default settings; or, with `oracle` above 0, aiming at the
// error that an oracle reaches with so many runs, with up to 400 runs.
// `ratio`: the true slowdown, 0 for one condition.
struct cell plan_cell(const struct plan *plan, const struct population *population, double oracle,
                      double ratio);

#endif
