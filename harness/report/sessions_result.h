#ifndef REPORT_SESSIONS_RESULT_H
#define REPORT_SESSIONS_RESULT_H

#include "experiment.h"

#include <stddef.h>

/* Which experiments are sessions of one cell (a campaign's repeat). */

/* Where an experiment is among them. */
struct place {
    char *name; /* of the cell, as all its sessions share it; NULL: of no cell */
    char *key;  /* of its definition; NULL: not known */
    unsigned session;
    size_t folder; /* index */
};

struct group {
    char *name;
    struct place *place; /* by session */
    size_t count;        /* 2 or more */
};

struct groups {
    struct group *item;
    size_t count, allocated;
    size_t *of; /* of each folder: the index of its group; SIZE_MAX: none */
};

/* places: one for each folder; their names are taken over. */
void groups_make(struct groups *groups, struct place *places, size_t count);
void groups_free(struct groups *groups);

/* The place of an experiment. */
struct place place_of(const struct experiment *experiment, size_t folder);

/* part: the experiment of each session of the group. A result over them, as jostle.result/1
 * as far as a report reads it; to be freed. Its ratios are those of harness/stats/interval.h,
 * its other figures means over the sessions with the interval of Student's t, at the
 * confidence of the first session's intervals. */
char *sessions_result(const struct experiment *part, const struct group *group);

#endif
