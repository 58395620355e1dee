#ifndef LOADGEN_CORE_TOUCHES_H
#define LOADGEN_CORE_TOUCHES_H

/* What the loads on a core's own resources (icache, tlb; ports for its counts) count, and how
 * icache and tlb prove that they miss: the time of a touch against that of one whose footprint
 * fits, which each worker measures on its own CPU before it begins. One touch is one unit of the
 * load's rate. */

#include "load.h"

/* The first of run's counters, filled by touches_count(); the others are the load's own. */
#define TOUCHES_COUNTERS 2

/* Of one worker, written by it alone. */
struct touch_counts {
    _Alignas(64) _Atomic uint64_t busy_ns; /* inside walks */
    _Atomic uint64_t touches;              /* in that time */
    _Atomic double fitting_ns;             /* for each touch of what fits */
};

/* Makes so many touches, from where the last walk ended. */
typedef void touch_walk(void *way, uint64_t touches);

/* run->state of these loads begins with a pointer to run->threads of them. */
struct touch_state {
    struct touch_counts *counts;
};

/* 0, or -1 after run_fail(). */
int touches_open(struct run *run);
void touches_close(struct run *run);
/* One operation of the load: walks, and counts it. Returns the touches. */
double touches_walk(struct worker *worker, touch_walk *walk, void *way, uint64_t touches);
/* Notes how long a touch of what fits takes: the least over some ms, which others on the
 * machine can only make longer. */
void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way);
/* Load.h's count and fields: busy_s; ns_per_touch, the median over operations, null without
 * any; ns_per_touch_fitting, the mean of the workers; times_fitting, their ratio. */
void touches_count(struct run *run, double counters[LOAD_COUNTERS]);
void touches_fields(struct run *run, const struct snapshot *window, struct line *line);
/* busy_s alone. */
void touches_busy(const struct snapshot *window, struct line *line);
/* That median, in ns; NAN without operations. */
double touches_ns(const struct snapshot *window);
/* The same, against what fits; NAN: not known. */
double touches_times_fitting(const struct run *run, const struct snapshot *window);
/* The same for people, in one line: "  1.40 ns for each WHAT, 3.1 times that of WHERE". */
void touches_print(struct run *run, const struct snapshot *window, const char *what,
                   const char *where);

#endif
