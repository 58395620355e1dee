#ifndef EXPERIMENT_NODES_H
#define EXPERIMENT_NODES_H

/* Where a load runs: "@WHERE SPEC" puts it on other nodes of the job that we are
 * in. Nodes are counted from 1, where the target is; WHERE is a node (2), some
 * (2-4) or all-others. {node2} in a SPEC is the name of node 2. Wrong use ends
 * the program. */

#include "arena.h"

struct nodes {
    const char **name; /* the target's first */
    size_t count;      /* 0: we are in no job */
};

/* The nodes of the job, from JOSTLE_JOB_HOSTS. */
struct nodes nodes_of_job(struct arena *arena);
/* Skips "@WHERE " at the start of spec; sets *first and *last to the nodes that
 * it names, both 0 where it names none. */
const char *nodes_select(const struct nodes *nodes, const char *spec, size_t *first, size_t *last);
/* The spec with the names of nodes for {nodeN}. */
const char *nodes_fill(const struct nodes *nodes, struct arena *arena, const char *spec);

#endif
