#ifndef LOADGEN_CORE_PROOF_H
#define LOADGEN_CORE_PROOF_H

/* How loads on a core prove what they do to it.
 *
 * How the loads icache and tlb prove that they miss: the time of a touch against that of one whose
 * footprint fits, which each worker measures on its own CPU before it begins. One touch is one unit
 * of the load's rate. */

#include "load.h"

/* Makes so many touches, from where the last walk ended. */
typedef void touch_walk(void *way, uint64_t touches);

/* run->state of these loads begins with it. */
struct touch_state {
    _Atomic uint64_t fitting_fs; /* for each touch of what fits: the sum of all workers */
};

/* Notes how long a touch of what fits takes: the least over some ms, which others on the
 * machine can only make longer. */
void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way);
/* Load.h's fields: busy_s; ns_per_touch, the median over operations, null without
 * any; ns_per_touch_fitting, the mean of the workers; times_fitting, their ratio. */
void touches_fields(struct run *run, const struct snapshot *window, struct line *line);
/* That median against what fits; NAN: not known. */
double touches_times_fitting(const struct run *run, const struct snapshot *window);
/* The same for people, in one line: "  1.40 ns for each WHAT, 3.1 times that of WHERE". */
void touches_print(struct run *run, const struct snapshot *window, const char *what,
                   const char *where);

/* The clock under a load: ops and ports. */

/* Between two pieces of work, so at the clock that the work has: adds a measurement to the worker's
 * counters if the last one is 5 ms ago (0.3 % of the time). *next_ns is the worker's own, 0 at
 * first. */
void clock_sample(struct worker *worker, int64_t *next_ns);
/* The mean clock of a window, in Hz; NAN: nothing was measured. */
double clock_mean(const struct snapshot *window);

#endif
