// The clock of a CPU while it works.
#ifndef LOADGEN_OPS_CLOCK_H
#define LOADGEN_OPS_CLOCK_H

#include "load.h"

// A share of a peak may be as large as this, for the clock may have changed between its samples:
// beyond it, the peak is not this CPU's.
#define CLOCK_MOST_SHARE 1.05

// Between two pieces of work, so at the clock that the work has: adds a measurement to the worker's
// counters if the last one is 5 ms ago (0.3 % of the time). *next_ns is the worker's own, 0 at
// first.
void clock_sample(struct worker *worker, int64_t *next_ns);
// The mean clock of a window, in Hz; NAN: nothing was measured.
double clock_mean(const struct snapshot *window);

#endif
