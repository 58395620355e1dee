// The warnings: each case with its severity, its words, and what to do. All
// formats take them from result.json, so every word is in flags.h.
#ifndef STATS_MESSAGES_H
#define STATS_MESSAGES_H

#include "verdict.h"

#include "harness/record/settings.h"

#include <jansson.h>
#include <stdbool.h>

// The cases, by the rows of flags.h.
enum flag {
#define FLAG(name, ...) FLAG_##name,
#include "flags.h"
#undef FLAG
    FLAGS,
    ODDITIES = FLAG_UNSTEADY + 1, // those before it are seen in the values alone (oddities_find)
};

// The name that records and results have for it, such as "two-modes".
const char *flag_name(enum flag flag);

enum { MESSAGE_DETAILS = 10 };

// One warning under construction; begin with .flag and what it is about.
struct message {
    enum flag flag;
    const char *condition; // NULL: of the whole experiment
    const char *metric;    // NULL: of no metric
    json_t *runs;          // the orders of the runs; a reference, or NULL for none
    size_t of_runs;        // of so many
    bool matters;          // it could move a figure by more than was asked (matters.h)
    bool follows;          // from foreign load that is a problem itself: a note, with its bias
    enum bias bias;        // where the case's own does not fit; BIAS_ANY: it does
    bool unsteady;         // the condition's runs are part of a ratio that changes
    struct {
        const char *name;
        char *text;
    } detail[MESSAGE_DETAILS];
    size_t details;
};

// A warning about that condition, by its index, and about a metric of it; MAX_METRICS: about none.
struct message message_about(const struct settings *settings, enum flag flag, size_t condition,
                             size_t metric);

// Sets what replaces {name} in the case's words.
void message_detail(struct message *message, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Adds the order of a run that it is about.
void message_run(struct message *message, size_t order);

// Appends it to the warnings as {flag, severity, condition, metric, message, advice, runs, bias},
// and frees it. Unless they are set, {few} and {all} in its words are the numbers of its runs and
// of `of_runs`.
void message_add(json_t *warnings, struct message *message);

// The same where it is of any runs; else only frees it.
void message_add_some(json_t *warnings, struct message *message);

// Whether what a load warns of is its calibration, which the result says early enough.
bool is_of_calibration(const char *warning);

// Whether it is what other programs did: to its calibration, or on its disk.
bool is_of_others(const char *warning);

struct session; // session.h

// What is odd about the runs of one condition, seen in their values alone.

// A set of flags below ODDITIES, a bit each (1 << flag), for one condition and
// metric; 0 for fewer than 3 runs.
unsigned oddities_find(struct session *session, size_t condition, size_t metric);

// Appends a warning about each of them.
void oddities_add(struct session *session, size_t condition, size_t metric, json_t *warnings);

// Appends the warnings of each condition's search for its capacity to an array
// (capacity_warnings.c).
void capacity_warnings(struct session *session, json_t *list);

// The warnings that the session itself gives reason for: odd values, failed
// runs, short loads, errors that are too large, slowdowns that are none.

// A new reference to an array of warnings (message_finish) for all conditions
// and the chosen metrics.
json_t *warnings_of(struct session *session);

#endif
