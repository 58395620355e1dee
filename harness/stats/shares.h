#ifndef STATS_SHARES_H
#define STATS_SHARES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct session; // session.h
struct run;     // harness/record/run.h

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
    double cpu_s;         // user and system time of the whole tree
    double main_s;        // the CPU time of its main thread
    double main_delay_s;  // what that waited for a CPU, exact
    double own_s[CAUSES]; // what the target itself waited: CPU (without queued_s), MEMORY, IO, HOST
    double alone_wait_s;  // figure_alone_wait_s()
    double queued_s;      // its tasks waited for a CPU while another of them ran; NAN: not known
    double throttled_s;   // of what it waited for a CPU: by the quota of a control group
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

// `is` is the record, with its loads. `cpus`: of the machine, where the record does not say.
struct account account_of(const json_t *record, const struct run *is, double cpus);

// What is kept of a record that has been judged, whether it fits or not: the records themselves
// would take ten times the memory.
enum { START_SIZE = 40 };

// Of the service whose client the target is; NAN: the record does not say.
struct service_use {
    bool is_there, own_session;
    double elapsed_s, cpu_s, stall_s; // stall: for a CPU
    double memory_bytes, starts;
};

struct facts {
    struct account account;
    struct service_use service;
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

struct sums times_sum(const struct account *const *runs, size_t n);

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

// Gives each slowdown of a summary its `attribution`: how its extra time is shared out; null where
// there is none: the records have no CPU times, or no time is extra.
void attribution_add(struct session *session, json_t *summary);

// 0 for what is not known.
double known_or_0(double value);

#endif
