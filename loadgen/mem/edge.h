#ifndef LOADGEN_MEM_EDGE_H
#define LOADGEN_MEM_EDGE_H

/* Where the caches of this machine end, whatever they are said to be: the L3 that a
 * virtual machine reports need not be the one below it. Latency of dependent loads at
 * random places rises with the size of the memory they go to as long as some of them
 * still find a cache; from the edge on it stays what it is. */

#include "mem/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDGE_POINTS = 16 };

struct edge {
    uint64_t bytes; /* 0: not known */
    size_t count;
    struct edge_point point[EDGE_POINTS];
};

/* Whether a measurement is kept for this machine; sets bytes: 0: nothing is, or latency rose up to
 * the largest size. */
bool edge_kept(const struct mem_caches *caches, uint64_t *bytes);

/* What is kept; else measures it on the CPU, within about 2 s of CPU time and a
 * quarter of the free memory, and keeps it. Whoever comes meanwhile waits for that. 0: it could
 * not be measured, or not kept, or latency rises up to the largest size. */
uint64_t edge_find(const struct mem_caches *caches, int cpu, bool quiet);

#endif
