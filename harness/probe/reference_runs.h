#ifndef PROBE_REFERENCE_RUNS_H
#define PROBE_REFERENCE_RUNS_H

/* The runs of an experiment whose target is `probe sample` and whose loads are kinds at levels. */

#include "harness/pressure/activity_table.h"
#include "harness/pressure/kinds.h"
#include "harness/pressure/reporter_table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { REFERENCE_CONDITIONS = 64 };

struct reference_condition {
    char name[64];
    bool quiet;     /* no load */
    enum kind kind; /* KINDS: another load, or none */
    double level;
};

struct reference_run {
    size_t condition, block;     /* index; from 1 */
    double logarithm[REPORTERS]; /* of the values; NAN: none */
    double activity[ACTIVITIES]; /* NAN: none */
    double achieved;             /* by the load, of what was offered; NAN: none */
};

struct reference_runs {
    struct reference_condition condition[REFERENCE_CONDITIONS];
    size_t conditions;
    struct reference_run *run; /* in the order in which they were made */
    size_t count, room;
    size_t blocks;
    size_t alone;         /* runs without a load */
    size_t disturbed;     /* of those, with a flag that says that others disturbed them. Under a
                             load, threads of the kernel that serve it may look like others */
    char disturbance[64]; /* the first such flag */
};

/* Reads experiment.json and runs.jsonl of a folder; *experiment is then a new reference. Runs
 * that failed or are not used are left out. False after a message. */
bool reference_runs_read(const char *folder, struct reference_runs *runs, json_t **experiment);
/* The same from what is read already: conditions, then each record. */
bool reference_runs_begin(struct reference_runs *runs, const json_t *experiment);
bool reference_runs_add(struct reference_runs *runs, const json_t *record);
void reference_runs_free(struct reference_runs *runs);

#endif
