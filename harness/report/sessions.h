#ifndef REPORT_SESSIONS_H
#define REPORT_SESSIONS_H

#include "collect.h"

/* Sessions of one cell (a campaign's repeat): experiments that are repetitions of each
 * other, and as one, whose figures are over the sessions. */

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

/* Reads all sessions of a group, and makes one experiment of them: with the record of the
 * first, the runs of all one after another, and as its result the figures over
 * sessions (harness/stats/levels.h). */
void sessions_read(struct experiment *all, const struct group *group, const struct folders *folders,
                   const struct wanted *wanted, const struct run_options *options);

/* What the ratio over sessions is made of, "3 sessions: 1.37, 1.35, 1.40; ...", to be
 * freed; NULL: it is of a single one. slowdown: of an experiment that sessions_read made. */
char *sessions_text(const struct value *slowdown);

#endif
