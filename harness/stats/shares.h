#ifndef STATS_SHARES_H
#define STATS_SHARES_H

#include "interval.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Where one run's time went, as far as its record says.

enum cause { EXECUTION, HOST, CPU, MEMORY, IO, UNEXPLAINED, CAUSES };

// Who counted the stalls, from nothing to what is exact.
enum stall_source {
    SOURCE_NONE,
    SOURCE_MACHINE,   // pressure of the whole machine: an upper bound
    SOURCE_SCHEDSTAT, // run delay of the target's main thread: a lower bound, CPU alone
    SOURCE_CGROUP,    // pressure of the target's own group
};

// Seconds; NAN: the record does not say.
struct times {
    double wall_s;
    double cpu_s;             // user and system time of the whole tree
    double main_s;            // the CPU time of its main thread
    double main_delay_s;      // what that waited for a CPU, exact
    double own_s[CAUSES];     // what the target itself waited: CPU, MEMORY, IO, HOST
    double throttled_s;       // of what it waited for a CPU: by the quota of a control group
    double at_most_s[CAUSES]; // by the machine's figures: CPU, MEMORY, IO
    enum stall_source source;
    unsigned cpus; // that the target may use; 0: not known
};

// What has a mean over a condition's runs. The order is that of a result's `extra`.
enum mean {
    WALL,
    USER,
    SYSTEM,
    STEAL,
    CPU_SOME,
    MEMORY_SOME,
    MEMORY_FULL,
    IO_SOME,
    IO_FULL,
    OWN_CPU,
    OWN_MEMORY,
    OWN_IO,
    INVOLUNTARY,
    VOLUNTARY,
    MAJOR_FAULTS,
    INSTRUCTIONS,
    CYCLES,
    REFERENCES,
    MISSES,
    MEANS,
};

extern const char *const mean_names[MEANS];

// All of that of one run.
struct account {
    struct times times;
    double value[MEANS]; // NAN: the record does not say
    bool user_only;      // the counters count no time in the kernel
};

// `cpus`: of the machine, where the record does not say.
struct account account_of(const json_t *record, double cpus);

// What is kept of a record that has been judged, whether it fits or not: the records themselves
// would take ten times the memory.
enum { START_SIZE = 40 };

struct facts {
    struct account account;
    int condition;           // by its name; -1: it has none
    json_int_t block, order; // as it has them
    unsigned disturbed;      // a bit for each of its flags from FLAG_STEAL to FLAG_SHARED_NODE
    double survivors;
    const char *host; // NULL: it has none
    char start[START_SIZE];
    double uptime_s;
};

// Sums over several runs; NAN where one of them does not say.
struct sums {
    double wall_s, cpu_s, main_s, main_delay_s, waits_s;
    unsigned cpus; // the most that a run might use; 0: not known
};

struct sums times_sum(const struct times *times, size_t n);

// How a target uses CPUs.
struct threads {
    bool one;     // its main thread has nearly all of its CPU time, and its waiting is known
    bool several; // it surely has more than one that works
    double busy;  // CPUs that it keeps busy while it does not wait; 1 or more
};

struct threads threads_of(const struct sums *sums);

// CPUs that several threads keep busy while they do not wait; 1 or more.
double threads_busy(const struct sums *sums);

// Seconds of a run's wall time that are of that cause (EXECUTION: CPU time); NAN: not known.
double times_part_s(const struct times *times, enum cause cause, const struct threads *threads);

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
