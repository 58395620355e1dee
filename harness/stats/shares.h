// The extra time of a slowdown, shared out among its causes, from pairs of runs.
#ifndef STATS_SHARES_H
#define STATS_SHARES_H

#include "interval.h"
#include "times.h"

struct shares {
    // False: the target was on the CPUs of this machine, or waited here, for a small
    // part of its time only; all of the slowdown is unexplained then.
    bool attributed;
    double present; // that part, under load
    double total;   // percent of the mean time alone
    // Percentage points, 0 or more, that add up to `total`, and the same in seconds.
    double points[CAUSES], seconds[CAUSES];
    struct interval interval[CAUSES]; // of the points, each by itself; NAN: not known
    double at_most[CAUSES];   // points by the machine's figures; NAN: not needed, or not known
    enum stall_source source; // the weakest among the runs
    bool is_more;             // the CPU's share is a lower bound
    bool is_overlapping;      // the stalls are longer than the time there is: proportional
    bool several;             // several threads or processes use the CPU
    bool ambiguous;           // overlapping, or means over several threads
    bool moves;               // the target may use several CPUs
    double threads; // CPUs that the target alone keeps busy while it does not wait, 1 or more
};

// before[i] and after[i] are of one block, n of them. A small share that its interval
// does not keep above 0 counts as unexplained: it may be nothing.
// The intervals are Fieller's, with Student's t of the confidence in `critical`.
struct shares shares_of(const struct times *before, const struct times *after, size_t n,
                        struct critical *critical);

#endif
