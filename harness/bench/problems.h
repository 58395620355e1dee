#ifndef BENCH_PROBLEMS_H
#define BENCH_PROBLEMS_H

#include "measured.h"
#include <jansson.h>
#include <stdbool.h>

/* The problems that a bench finds in its figures, one table: docs/bench.md has the same. */

struct problem {
    const char *flag, *text, *advice;
    bool misread; /* the figure is something else than what its row says, not only uncertain */
};

/* A nameless row ends it. */
extern const struct problem problems[];

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

#endif
