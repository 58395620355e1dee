#ifndef LOADGEN_MEM_EDGE_RUN_H
#define LOADGEN_MEM_EDGE_RUN_H

#include "mem/edge.h"

/* Measures edge->point at doubling sizes from 4 MiB on, on this thread's CPU: as many as
 * `most_bytes` of memory (1 GiB at most) and about 2 s of CPU time allow. */
void edge_run(struct edge *edge, uint64_t most_bytes);

#endif
