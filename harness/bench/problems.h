/* The problems that a bench finds in its figures, one table: docs/bench.md has the same. */
#ifndef BENCH_PROBLEMS_H
#define BENCH_PROBLEMS_H

#include <jansson.h>
#include <stdbool.h>

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

#endif
