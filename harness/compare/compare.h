// Two experiments side by side.
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "harness/stats/session.h"

#include <jansson.h>
#include <stddef.h>

// ---- side.c

// One of the two experiments that are compared, judged by its own settings.

struct side {
    struct experiment experiment;
    struct session session; // its runs, used and left out as in its own result
    json_t *summary;        // what its own table shows
    bool is_second;         // B
};

// Reads what was measured in FOLDER, and then its runs: in between more metrics may be
// added to its settings. Ends the program with wrong use where there is no experiment;
// false after a message on stderr where it cannot be read. To be freed in either case.
bool side_open(struct side *side, const char *folder);
bool side_read(struct side *side, const char *folder);

// Whether it has the condition of that name, which may be a pair, "one of A:one of B".
bool side_has(const struct side *side, const char *name);

// The index of that condition, which it has.
size_t side_condition(const struct side *side, const char *name);

// How far the baseline measured against itself (--aa) may be from 1, else the error of
// the condition's own figure. *from_aa: which of the two.
double side_floor(struct side *side, size_t condition, size_t metric, bool *from_aa);

// A new `a` or `b` of a jostle.comparison/1: the figures of its own table.
json_t *side_to_json(struct side *side, size_t condition, size_t metric);

// What its own table says of its runs that failed, a new reference; null: none did.
json_t *side_failed(const struct side *side);

// Appends the flags of its problems that bias a ratio.
void side_add_biases(const struct side *side, json_t *flags);

void side_free(struct side *side);

// ---- differences.c

// In what two experiments differ, by their experiment.json.

// A new reference to the `differences` of a jostle.comparison/1: what differs in command,
// loads, settings, program, files that the command names, variables and environment; what one of
// them does not record, so that it may differ; what of the environment was compared; and conditions
// of one alone.
json_t *differences_of(const json_t *a, const json_t *b);

// A new array of the names of the conditions that both have, but `aa`.
json_t *differences_common(const json_t *a, const json_t *b);

// Adds to what differs in command and loads the definition of a metric, where it does.
void differences_add_metric(json_t *differences, const json_t *a, const json_t *b,
                            const char *name);

// What makes them no repetition of one experiment: "command: A x, B y; ...", to
// be freed; NULL where nothing does.
char *differences_grave(const json_t *differences);

// ---- rows.c

// The conditions and metrics of two experiments, each with the ratio B / A.

struct comparison {
    struct side *a, *b;
    // Which metrics: the index that each has on either side.
    struct {
        size_t a, b;
    } metric[MAX_METRICS];
    size_t metric_count;
    double confidence; // of the ratios; those of a condition's metrics hold at once
};

// How many intervals share the error rate 1 - confidence: those of the metrics of one
// condition; and the level of each (Bonferroni).
size_t comparison_family(const struct comparison *comparison);
double comparison_level(const struct comparison *comparison);

// A new `comparisons` of a jostle.comparison/1, for conditions (their names) that both
// have. Ends the program where none of them has two good runs on both sides.
json_t *comparison_rows(const struct comparison *comparison, const json_t *conditions);

// ---- rows.c

// Comparisons that were repeated: what differs between the machine's one hour and the next is then
// part of the interval, so that a verdict is about what was measured.

// A new `over_sessions` of a jostle.comparison/1 from an array of such: the ratio of each
// condition and metric that all have, with Student's interval over the sessions' ratios.
json_t *sessions_rows(const json_t *sessions);

// A new `gate`: whether all these rows are at most that limit, or the least one above it; without
// rows, or beside a problem of a session that biases, undecided, and why.
json_t *sessions_gate(const json_t *rows, const json_t *sessions, double at_most);

// What the command exits with.
int sessions_exit(const json_t *gate);

#endif
