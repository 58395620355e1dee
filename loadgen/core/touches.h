// The proof that the touches of loadgen icache and loadgen tlb miss.
#ifndef LOADGEN_CORE_TOUCHES_H
#define LOADGEN_CORE_TOUCHES_H

#include "load.h"

// Makes so many touches, from where the last walk ended.
typedef void touch_walk(void *way, uint64_t touches);

// run->state of these loads begins with it.
struct touch_state {
    _Atomic uint64_t fitting_fs; // for each touch of what fits: the sum of all workers
};

// Notes how long a touch of what fits takes: the least over some ms, which others on the
// machine can only make longer.
void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way);
// The median of a touch against that of what fits; NAN: not known.
double touches_times_fitting(const struct run *run, const struct snapshot *window);
// load.h's fields: busy_s; ns_per_touch, the median over operations, null without
// any; ns_per_touch_fitting, the mean of the workers; times_fitting, their ratio.
void touches_fields(struct run *run, const struct snapshot *window, struct line *line);
// Prints them for people, in one line: "  1.40 ns for each WHAT, 3.1 times that of WHERE".
void touches_print(struct run *run, const struct snapshot *window, const char *what,
                   const char *where);

#endif
