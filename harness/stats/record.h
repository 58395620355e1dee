#ifndef STATS_RECORD_H
#define STATS_RECORD_H

#include "judge.h"
#include "settings.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// One line of runs.jsonl, as far as the statistics need it.

struct observation {
    int condition;             // index into settings.conditions
    size_t block;              // from 1
    size_t order;              // from 1
    double value[MAX_METRICS]; // NAN where the record does not say
    double x, y; // of jostle capacity (threshold.h): log of the rate, distance; else NAN
    bool missed; // of jostle capacity: the time-out ended it, which is no failure there
    enum failure failure;
    int exit_code; // 0: none
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

// Reads one line. *record is then the whole record, a new reference, or NULL
// where the line is no JSON.
enum record_status record_parse(const struct settings *settings, const char *line,
                                struct observation *run, json_t **record, char *why,
                                size_t why_size);

// One run's record from what meter and the loads said of it.

// A load's last `mark` event; node is NULL for a load on the target's node.
struct assembly_load {
    const char *name, *node;
    const json_t *mark;
};

struct assembly {
    const char *condition;
    const char *variant; // NULL: there are none
    size_t block, order; // 0: a warm-up or a washout
    bool washout;        // a run between a loaded one and the next
    size_t washed;       // how many of those come after each loaded run
    const char *vary;    // what was varied, and to what; NULL: nothing
    double varied;
    const char *host;
    const json_t *meter; // a jostle.meter/1
    const struct assembly_load *loads;
    size_t load_count;
    const json_t *probe;   // the machine's `sample` before the run; NULL: none
    const json_t *service; // its `mark` at the run's end; NULL: there is none
    double mark_delay_s;   // longest round trip of the marks to other nodes
    double cpus;           // of the machine
    bool shared;           // other jobs were on the node
};

// A new reference to a jostle.run/1 with its flags; NULL if memory ran out.
json_t *assemble_run(const struct assembly *assembly);

// Puts hyperfine's figures (its exported JSON) of the target in the place of
// meter's, which are of hyperfine and target together. What hyperfine does not
// report is null. False where the export has no result.
bool assemble_hyperfine(json_t *meter, const json_t *exported);

// What to do about a failed run of the experiment in `folder`; in text, or a constant.
// is_first: no run has succeeded before, or something prepares each. is_cell: a campaign measures
// it.
const char *assemble_advice(const json_t *record, const char *folder, bool is_first, bool is_cell,
                            char *text, size_t size);

// What ended: the target or its service.
const char *assemble_culprit(const json_t *record);

// How a failed run ended: "failed with exit code 3", "made no figure p99_ms: not found in
// stdout"; in text, which it returns.
const char *assemble_failure(const json_t *record, char *text, size_t size);

#endif
