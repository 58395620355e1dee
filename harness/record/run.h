// One run of an experiment, as a line of runs.jsonl has it, and what it is: each word that records
// and results use of it is defined here, and nowhere else.
#ifndef RECORD_RUN_H
#define RECORD_RUN_H

#include "defaults.h"
#include "field.h"

#include <stdbool.h>
#include <stddef.h>

//   failed     it ended badly: exit code, signal, time-out, or not started; or its service
//              ended; or it ended well and did not print a figure that was chosen
//   censored   it is used and ran into the time-out: its figures are lower bounds
//   set aside  its record is kept and not used: a warm-up, or replaced later
//   disturbed  the machine did something else meanwhile: steal, foreign-load, ...
//   short      a load delivered less than it offered, and not because it shared

// A load during a run. Numbers are NAN where the record does not say.
struct run_load {
    const char *name, *load, *unit, *cpus, *accounting;
    bool is_elsewhere; // on another node
    bool has_stages;   // its rate follows a schedule
    double elapsed_s, cpu_s, rate, offered, achieved, late, dropped;
};

// Texts are the record's; NULL where it has none. Numbers are NAN where the record does not say.
struct run {
    const char *condition, *host, *start;
    double block, order, washout_runs;
    bool is_washout, is_start, was_set_aside;
    // How it ended.
    double exit_code, signal;
    bool timed_out, has_no_figure;
    const char *start_error, *service_died; // "?" where it is no text
    const char *metric, *reason;            // the figure that it lacks, and why
    double kills_of_target, kills_in_cgroup, kills_on_machine;
    double wall_s, timed_out_s, stops;
    size_t flags; // how many were noted when it was judged
    // What it used, its service and its loads, and what the machine did: by run_read_use() alone.
    double user_s, system_s, service_cpu_s;
    const char *cpus, *service_cpus;
    double steal_s, busy_s, machine_cpus, swap_in_pages, throttle_count;
    bool is_busy_exact, is_stop_unknown;
    struct run_load *load;
    size_t load_count;
};

// The tables of both: a field of a run is one row.
extern const struct field run_fields[], run_use_fields[], run_load_fields[];

// Reads how a run ended, and what it is for. False: it has no number as wall time, or no condition.
bool run_read(struct run *run, struct node record);
// And what it used, with its loads, which run_free() frees.
void run_read_use(struct run *run, struct node record);
void run_free(struct run *run);

// ---- what it is for (run.c)

enum run_use { RUN_MEASURED, RUN_IS_WARM_UP, RUN_IS_SET_ASIDE };

// A block of 0 marks a run that is kept in the file and not used.
enum run_use run_use(const struct run *run);

// ---- how it failed (failure.c)

// One that ran into the time-out was ended by a signal as well, and one that was not started has an
// exit code: each is of the later kind alone.
enum failure {
    FAILURE_NONE,
    FAILURE_EXIT,
    FAILURE_SIGNAL,
    FAILURE_TIMED_OUT,
    FAILURE_NOT_STARTED,
    FAILURE_METRIC,
    FAILURE_MEMORY,  // the kernel killed it, or a process of it, for want of memory
    FAILURE_SERVICE, // its service ended during the run, whatever the client said then
    FAILURES
};

// As in the `failures` of a result; "" for none.
extern const char *const failure_names[FAILURES];

enum failure run_failure(const struct run *run);

enum { CODE_OF_SIGNAL = 128 }; // and the signal's number, in a shell

// The exit code of a run as a shell has it: 128 + N where signal N ended it; 0 where it has none;
// -1 of one that no program can end with.
int run_exit_code(const struct run *run);

// Which failures --ignore-failure lets pass: all, or only those with one of these exit codes.
struct ignored {
    bool any;
    size_t count; // of exit codes; 0: all failures
    int code[IGNORED_MOST];
};

// As the settings of an experiment have it.
void ignored_read(struct ignored *ignored, struct node settings);

// Whether a run that ended so is used. What was never started is never used: nothing was
// measured; nor is a run whose service ended. Of a run without one of its figures the others
// are used, where its failure is ignored.
bool failure_counts(enum failure failure, int exit_code, const struct ignored *ignored);

// Whether it is an answer and no failure: in a search for a capacity that a run takes too long says
// that the rate is too high.
bool failure_is_answer(enum failure failure, bool has_capacity);

// Whether a used run that ended so gives lower bounds only.
bool failure_censors(enum failure failure);

// What failed, "the target" or "the service", and what it did: "failed with exit code 3", "made no
// figure p99_ms: not found in stdout"; to be freed.
const char *failure_of(const struct run *run);
char *failure_text(const struct run *run);

// How long the target took, in seconds: of a run that the time-out ended, not what it took to die.
// NAN: not known.
double run_wall_s(const struct run *run);

// ---- its loads (short_load.c)

// What a load had to deliver during a run for it not to be short, and what it did.
struct delivery {
    bool known;       // it offers a rate, and the run was long enough to judge
    double due, done; // in the load's unit
    bool asked;       // its rate is above 0: one that offers nothing all the same is short
};

// At least so much of what is due has to be done.
#define SHORT_OF_DUE 0.95

// A load is due what it offers. But where it may run on the CPUs of the target
// or of other loads, those take part of the CPU time that it has, as they are
// meant to: its share is
//   (its CPUs - CPUs' worth of time that the others used of them, or the host took) / its CPUs
// A cpu load is due offered x share. So is another load that used the CPU time of
// its whole share: it lacked the CPUs. One that used less lacked something else.
// `load` is one of the run's.
struct delivery run_delivery(const struct run *run, const struct run_load *load);

// Less than 95 % of what was due, or nothing was due although its rate is above 0; of one run, or
// of sums over several.
bool delivery_is_short(const struct delivery *delivery);

// Whether one of its loads was, by itself.
bool run_is_short(const struct run *run);

// CPU time in seconds of the target with its service, which is part of what is measured, and of the
// loads of this machine.
double run_target_cpu_s(const struct run *run);
double run_loads_cpu_s(const struct run *run);

// ---- the machine (disturbance.c)

// How many CPUs the target might use; 0 where the record does not say. What it used is needed.
unsigned run_cpus(const struct run *run);

// Time that the host took from the target. Steal is known of the whole machine, and
// falls on those who run: it is shared out by CPU time. NAN: not known. What it used is needed.
double run_stolen_s(const struct run *run);

// CPU time that the machine spent on all but the target, its service and the loads; where all that
// is known is ticks, at least. NAN: not known. What it used is needed.
double run_foreign_s(const struct run *run);

// What the machine did to a run, in the order of their flags (stats/flags.h).
enum disturbance {
    DISTURBED_STEAL,
    DISTURBED_FOREIGN_LOAD,
    DISTURBED_SWAP_IN,
    DISTURBED_THROTTLED,
    DISTURBED_STOPPED,
    DISTURBED_MEMORY_KILL,
    DISTURBED_SHARED_NODE,
    DISTURBANCES
};

// A bit for each. `cpus`: of the machine, where the record does not say; `shared`: other jobs were
// on the node. What it used is needed.
unsigned run_disturbances(const struct run *run, double cpus, bool shared);

// Whether its record notes one of them, or a load that was short.
bool run_is_flagged(const struct run *run);

#endif
