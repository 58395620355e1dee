// What a run is: each word that records and results use of it is defined here,
// and nowhere else.
//   failed     it ended badly: exit code, signal, time-out, or not started; or its service
//              ended; or it ended well and did not print a figure that was chosen
//   censored   it is used and ran into the time-out: its figures are lower bounds
//   set aside  its record is kept and not used: a warm-up, or replaced later
//   disturbed  the machine did something else meanwhile: steal, foreign-load, ...
//   short      a load delivered less than it offered, and not because it shared
#ifndef STATS_JUDGE_H
#define STATS_JUDGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// How a run failed. One that ran into the time-out was ended by a signal as well, and
// one that was not started has an exit code: each is of the later kind alone.
enum failure {
    FAILURE_NONE,
    FAILURE_EXIT,
    FAILURE_SIGNAL,
    FAILURE_TIMED_OUT,
    FAILURE_NOT_STARTED,
    FAILURE_METRIC,
    FAILURE_SERVICE, // its service ended during the run, whatever the client said then
    FAILURES
};

// As in the `failures` of a result; "" for none.
extern const char *const failure_names[FAILURES];

enum failure judge_failure(const json_t *record);

enum { IGNORED_MOST = 64 };

// Which failures --ignore-failure lets pass: all, or only those with one of these exit codes.
struct ignored {
    bool any;
    size_t count; // of exit codes; 0: all failures
    int code[IGNORED_MOST];
};

// Reads `ignore_failure` and `ignore_codes` of an experiment's settings.
void judge_read_ignored(struct ignored *ignored, const json_t *settings);

// Whether a run that ended so is used. What was never started is never used: nothing was
// measured; nor is a run whose service ended. Of a run without one of its figures the others
// are used, where its failure is ignored.
bool judge_counts(enum failure failure, int exit_code, const struct ignored *ignored);

// The exit code of a run; 0 where it has none.
int judge_exit_code(const json_t *record);

// What a load had to deliver during a run for it not to be short, and what it did.
struct delivery {
    bool known;       // it offers a rate, and the run was long enough to judge
    double due, done; // in the load's unit
};

// A load is due what it offers. But where it may run on the CPUs of the target
// or of other loads, those take part of the CPU time that it has, as they are
// meant to: its share is
//   (its CPUs - CPUs' worth of time that the others used of them) / its CPUs
// A cpu load is due offered x share. So is another load that used the CPU time of
// its whole share: it lacked the CPUs. One that used less lacked something else.
// `load` is a member of the record's `load`.
struct delivery judge_delivery(const json_t *record, const json_t *load);

// Whether the load's cpu_s is a lower bound: no control group counted it.
bool judge_load_bound(const json_t *load);

// Less than 95 % of what was due; of one run, or of sums over several.
bool judge_short(const struct delivery *delivery);

// How many CPUs the target might use; 0 where the record does not say.
unsigned judge_cpus(const json_t *record);

// Time that the host took from the target. Steal is known of the whole machine, and
// falls on those who run: it is shared out by CPU time. NAN: not known.
double judge_stolen_s(const json_t *record);

// What the machine did to a run: appends the flags to the array `flags`.
// `cpus`: of the machine, where the record does not say; `shared`: other jobs
// were on the node.
void judge_disturbances(const json_t *record, double cpus, bool shared, json_t *flags);

#endif
