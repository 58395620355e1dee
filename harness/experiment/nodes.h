// Where a load runs: "@WHERE SPEC" puts it on other nodes of the job that we are in, or on a host
// that ssh reaches. Nodes are counted from 1, where the target is; WHERE is a node (2), some (2-4),
// all-others, or the name of a host. {node2} in a SPEC is the name of node 2. Wrong use ends the
// program.
#ifndef EXPERIMENT_NODES_H
#define EXPERIMENT_NODES_H

#include "common/options.h"

#define BLANKS " \t\n"

// The characters of the name of a host as ssh has it: alice@web1.
#define HOST_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._@:-"

// The nodes of the job, from JOSTLE_JOB_HOSTS, the target's first; none: we are in no job.
struct option_list nodes_of_job(struct arena *arena);
// Skips "@WHERE " at the start of spec; *places are then the nodes that it names, else this one.
const char *nodes_select(const struct option_list *nodes, struct arena *arena, const char *spec,
                         struct option_list *places);
// The spec with the names of nodes for {nodeN}.
const char *nodes_fill(const struct option_list *nodes, struct arena *arena, const char *spec);

#endif
