// A line of runs.jsonl, as far as the statistics need it.
#ifndef STATS_RECORD_H
#define STATS_RECORD_H

#include "harness/record/figure.h"
#include "harness/record/settings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The same as the functions of harness/record/run.h, of a record that somebody has as JSON.

enum failure judge_failure(const json_t *record);

// The exit code of a run as a shell has it: 128 + N where signal N ended it; 0 where it has none.
int judge_exit_code(const json_t *record);

// Whether the run of that record is used, as far as its end decides.
bool judge_counts(const json_t *record, const struct ignored *ignored);

// What failed, and what it did, as failure_text() has it; to be freed.
char *judge_failure_text(const json_t *record);

// Names of what is noted of a run: that a load was short, and what the machine did. A new
// reference. `cpus`: of the machine, where the record does not say; `shared`: other jobs were on
// the node.
json_t *judge_flags(const json_t *record, double cpus, bool shared);

// ---- one run

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
// `is` is the record, too.
enum record_status record_take(const struct settings *settings, const json_t *record,
                               const struct run *is, struct observation *run, char *why,
                               size_t why_size);

// Notes in a new record that a chosen metric cannot be used, unless something else failed,
// in its `metric_failure`: one of which ratios are made is 0 or negative, one that
// jostle measures was not counted, or an objective is about one that has no value.
void record_note_failure(const struct settings *settings, json_t *record);

// How long runs took, by the times in their own records.

// Seconds since 1970 of an RFC 3339 time in UTC, such as a record's `start`;
// NAN where it is none.
double elapsed_time(const char *text);

#endif
