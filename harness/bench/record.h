/* The records of a bench: from what was measured of its cells to bench.json, and its texts. */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "harness/study/study.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* What was recorded of a cell, judged by the statistics of experiments. */

enum state { STATE_DONE, STATE_UNFINISHED, STATE_WAITING, STATE_SKIPPED, STATE_FAILED };
extern const char *const state_names[];

/* Reads the records of the cell (of bench-plan.json) below DIR/cells. One that was never begun
 * is waiting; one that could not be is failed. False after a message: records that cannot be
 * read, which is no failure of the others. To be freed in any case. */
bool cell_measured(struct measured *measured, enum state *state, const char *dir,
                   const json_t *cell);

/* The condition of a variant, under the load of the cell where it has one; -1: it was not
 * measured. NULL: jostle's. */
int measured_condition(const struct measured *measured, const json_t *cell, const char *variant);
struct measured_of {
    int condition;
    size_t metric;
};
/* How many times the second the first one is, from the blocks that have both; NAN: from fewer
 * than two. */
struct interval measured_ratio(struct measured *measured, struct measured_of of,
                               struct measured_of to);

/* Why the last failed run of a condition failed, with what it said last; to be freed. NULL: none
 * did. *failed: how many. */
char *measured_failure(const struct measured *measured, int condition, size_t *failed);
/* What the cell's load achieved in a condition, in the mean of its runs; NAN: no load. */
double measured_load(const struct measured *measured, int condition);

/* {flag, text, advice}: `text` in place of the table's words unless NULL. Of a flag that is not
 * in the table: the text alone. A new reference. */
json_t *problem_json(const char *flag, const char *text);

/* Whether a figure with that flag is something else than what its row says. */
bool problem_misread(const char *flag);

/* Why a figure of the part may be above its peak. */
const char *problem_likely(const char *part);

/* The versions of the peers, which the shell asks them for. */

/* Prints name, program and words of each peer of the plan that is measured, each ended by NUL:
 * the program with these words says its version. */
void versions_print(const json_t *plan);

/* Puts into the peers of the plan what the shell wrote to DIR/bench-peers.tsv, lines NAME, tab,
 * VERSION; null where it has none. */
void versions_put(json_t *plan, const char *dir);

/* A series: one run whose figures over time are kept. */

struct sequence {
    double *time_s, *value; /* since the start of the run, at the end of each interval */
    size_t count, allocated;
};

/* What the cell's run printed at each interval; empty where there is none. To be freed. */
void sequence_read(struct sequence *sequence, const struct measured *measured, const json_t *cell);
void sequence_free(struct sequence *sequence);

/* Replaces the row's value by the mean of its series, with an interval that allows for
 * neighbours that resemble each other; and adds to `more` the coefficient of variation, the
 * smallest and the largest figure. */
void series_put(json_t *row, const struct measured *measured, const json_t *cell);

/* The text of the campaign file of a plan, to be freed. */
char *conf_text(const json_t *plan);

/* A row of the bench: what a cell showed. */

/* A row of bench.json, of a cell of the plan and its records. A new reference. */
json_t *row_build(struct measured *measured, enum state state, const char *part,
                  const json_t *cell);

/* Of the cells of a part and their rows, in the same order: where the peak of one was withdrawn, as
 * its operations exceeded it, the CPU is another one than it is taken for, and those of the others
 * are not known either. */
void rows_check_peaks(const json_t *cells, json_t *rows);

/* From the records of a bench to bench.json. */

/* A record in the folder. A new reference; NULL after a message. */
json_t *collect_load(const char *dir, const char *name);

/* jostle.bench/1 of the folder: by its plan from its records; where it has no records, what
 * its bench.json says. A new reference; NULL after a message. */
json_t *bench_collect(const char *dir);

/* The figures of a bench as people read them: each number with its unit and error. */

/* Adds `counts` to the bench, {rows, done, skipped, failed}, and `texts` to each part: `columns`,
 * [{key, title, left, rank}], and to each row `texts` by those keys, and `numbers`: which of the
 * part's `findings` it has; `findings`:
 * [{flag, text, advice, cells}], each mark and kind of problem once; `reasons`: [{text, cells}],
 * why there is no figure; `lines`: texts; `best`: the row that is its answer (best.h). */
void bench_texts_add(json_t *bench);

#endif
