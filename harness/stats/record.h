#ifndef STATS_RECORD_H
#define STATS_RECORD_H

#include "objective.h"
#include "settings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// What a run is: each word that records and results use of it is defined here,
// and nowhere else.
//   failed     it ended badly: exit code, signal, time-out, or not started; or its service
//              ended; or it ended well and did not print a figure that was chosen
//   censored   it is used and ran into the time-out: its figures are lower bounds
//   set aside  its record is kept and not used: a warm-up, or replaced later
//   disturbed  the machine did something else meanwhile: steal, foreign-load, ...
//   short      a load delivered less than it offered, and not because it shared

// How a run failed. One that ran into the time-out was ended by a signal as well, and
// one that was not started has an exit code: each is of the later kind alone.
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

enum failure judge_failure(const json_t *record);

// Whether a run that ended so is used. What was never started is never used: nothing was
// measured; nor is a run whose service ended. Of a run without one of its figures the others
// are used, where its failure is ignored.
bool judge_counts(enum failure failure, int exit_code, const struct ignored *ignored);

enum { CODE_OF_SIGNAL = 128 }; // and the signal's number, in a shell

// The exit code as a shell has it, of what a record says of signal and exit code, 0 where it says
// nothing; -1 of one that no program can end with (cut to an int, a large one could be 0).
int judge_code(double signal, double exit_code);

// The exit code of a run as a shell has it: 128 + N where signal N ended it; 0 where it has none.
int judge_exit_code(const json_t *record);

// Whether a run failed because the kernel killed processes for want of memory: so many of the
// target, or so many elsewhere and it ended with that exit code. NAN is none.
bool judge_memory(double of_target, double elsewhere, int exit_code);

// What a load had to deliver during a run for it not to be short, and what it did.
struct delivery {
    bool known;       // it offers a rate, and the run was long enough to judge
    double due, done; // in the load's unit
    bool asked;       // its rate is above 0: one that offers nothing all the same is short
};

// A load is due what it offers. But where it may run on the CPUs of the target
// or of other loads, those take part of the CPU time that it has, as they are
// meant to: its share is
//   (its CPUs - CPUs' worth of time that the others used of them, or the host took) / its CPUs
// A cpu load is due offered x share. So is another load that used the CPU time of
// its whole share: it lacked the CPUs. One that used less lacked something else.
// `load` is a member of the record's `load`.
struct delivery judge_delivery(const json_t *record, const json_t *load);

// Less than 95 % of what was due, or nothing was due although its rate is above 0; of one run, or
// of sums over several.
bool judge_short(const struct delivery *delivery);

// How many CPUs the target might use; 0 where the record does not say.
unsigned judge_cpus(const json_t *record);

// Time that the host took from the target. Steal is known of the whole machine, and
// falls on those who run: it is shared out by CPU time. NAN: not known.
double judge_stolen_s(const json_t *record);

// CPU time that the machine spent on all but the target, its service and the loads; where all that
// is known is ticks, at least. NAN: not known.
double judge_foreign_s(const json_t *record);

// What the machine did to a run: appends the flags to the array `flags`.
// `cpus`: of the machine, where the record does not say; `shared`: other jobs
// were on the node.
void judge_disturbances(const json_t *record, double cpus, bool shared, json_t *flags);

// One line of runs.jsonl, as far as the statistics need it.

struct observation {
    json_t *record; // what is kept of it (replay_take), borrowed from the session; NULL: nothing
    size_t fact;    // index into the session's facts
    int condition;  // index into settings.conditions
    size_t block;   // from 1
    size_t order;   // from 1
    double value[MAX_METRICS]; // NAN where the record does not say
    double x, y; // of jostle capacity (capacity.c): log of the rate, distance; else NAN
    bool unsent; // of jostle capacity: the client made less than 95 % of the rate
    bool missed; // of jostle capacity: the time-out ended it, which is no failure there
    enum failure failure;
    int exit_code; // 0: none
    bool start;    // an unloaded run right after a start of the service
    bool washout;  // an unloaded run between a loaded one and the next
    size_t washed; // washout runs that come after each loaded run; 0 where it does not say
    int follows;   // the condition of the run before, or RUN_FIRST, RUN_UNKNOWN; the
                   // session fills it in
};

enum { RUN_FIRST = -1, RUN_UNKNOWN = -2 };

enum record_status { RECORD_OK, RECORD_WARM_UP, RECORD_SET_ASIDE, RECORD_BROKEN, RECORD_FOREIGN };

// True where the record is of a schema that this version reads; those of a time when runs had
// none are. Otherwise says so on stderr; `path` and `line` (from 1) are where it is.
bool record_is_known(const json_t *record, const char *path, size_t line);

// Takes what is needed from a record. A block of 0 marks a run that is kept in the
// file and not used: a warm-up (RECORD_WARM_UP), or one that was set aside when the
// experiment was resumed (RECORD_SET_ASIDE). block and order are 0 where the record
// has none. On RECORD_BROKEN (no valid record) and RECORD_FOREIGN (an unknown
// condition) `why` says what is wrong.
enum record_status record_take(const struct settings *settings, const json_t *record,
                               struct observation *run, char *why, size_t why_size);

// Notes in a new record that a chosen metric cannot be used, unless something else failed,
// in its `metric_failure`: one of which ratios are made is 0 or negative, one that
// jostle measures was not counted, or an objective is about one that has no value.
void record_note_failure(const struct settings *settings, json_t *record);

// How long runs took, by the times in their own records.

// Seconds since 1970 of an RFC 3339 time in UTC, such as a record's `start`;
// NAN where it is none.
double elapsed_time(const char *text);

#endif
