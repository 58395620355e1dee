/* What was recorded of a cell, judged by the statistics of experiments. */
#ifndef BENCH_MEASURED_H
#define BENCH_MEASURED_H

#include "harness/stats/experiment.h"
#include "harness/stats/session.h"

#include <jansson.h>

enum state { STATE_DONE, STATE_UNFINISHED, STATE_WAITING, STATE_SKIPPED, STATE_FAILED };
extern const char *const state_names[];

struct measured {
    enum state state;
    char *folder;   /* of the cell's records */
    json_t *status; /* jostle.status/1; NULL: none */
    bool has_runs;  /* what follows was read */
    struct experiment experiment;
    struct session session;
    struct replay replay;
    json_t *summary; /* of stats, with its warnings */
};

/* Reads the records of the cell (of bench-plan.json) below DIR/cells. One that was never begun
 * is waiting; one that could not be is failed. False after a message: records that cannot be
 * read, which is no failure of the others. To be freed in any case. */
bool bench_measured_read(struct measured *measured, const char *dir, const json_t *cell);
void bench_measured_free(struct measured *measured);

/* The condition of a variant, under the load of the cell where it has one; -1: it was not
 * measured. NULL: jostle's. */
int measured_condition(const struct measured *measured, const json_t *cell, const char *variant);
/* The index of a figure; MAX_METRICS: it was not measured. */
size_t measured_metric(struct measured *measured, const char *name);
/* How many values there are. */
size_t measured_count(const struct measured *measured, int condition, size_t metric);
struct interval measured_figure(struct measured *measured, int condition, size_t metric);

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

#endif
