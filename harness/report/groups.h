#ifndef REPORT_GROUPS_H
#define REPORT_GROUPS_H

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

#endif
