// Where one run's time went, as far as its record says.
#ifndef STATS_TIMES_H
#define STATS_TIMES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

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

// `cpus`: of the machine, where the record does not say.
struct times times_of(const json_t *record, double cpus);

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

#endif
