#ifndef STATS_SHARES_H
#define STATS_SHARES_H

#include "interval.h"
#include "times.h"
#include <stdbool.h>

// The extra time of a slowdown, shared out among its causes, from pairs of runs.

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

// The sentence that says how much of a slowdown each cause has.

// As results name them.
extern const char *const cause_names[CAUSES];

// CPU time is instructions x cycles per instruction / clock, so the first three
// explain it between them; cache misses are one cause of the second among others,
// and get no share of the time. Ratios, loaded over alone; NAN: not known.
struct hardware {
    double instructions, cycles_per_instruction, cycles_per_s, misses_per_instruction;
    double cpu_time; // of what the counters count
};

// Whether anything is known of it.
bool causes_has_hardware(const struct hardware *hardware);

struct shares;

// What the growth of CPU time is: "slower", "instructions" (more of them), "both",
// or "slower-or-spinning": several threads, of which one may spin while it waits
// for another, and no counters that show it.
const char *causes_execution(const struct shares *shares, const struct hardware *hardware);

// "half: +37 %: 31 ± 2 points waiting for the CPU, 6 ± 2 unexplained", to be freed.
// `statistic`: that of the slowdown, where it is not the
// mean, which is what is shared out; else NULL.
char *causes_text(const char *condition, const char *statistic, const struct shares *shares,
                  const struct hardware *hardware);

#endif
