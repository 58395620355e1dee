/* What the memory part needs to know of the machine: its last-level caches, and from which CPUs
 * and NUMA nodes which memory can be measured. */
#ifndef BENCH_NODES_H
#define BENCH_NODES_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_NODES = 64 };

struct node {
    unsigned number;
    bool has_memory;
    int cpu;         /* its first CPU that may be used; -1: none */
    unsigned others; /* its CPUs that may be used, but for those of that one's core */
    char list[1024]; /* of them: "1-3,8" */
};

struct nodes {
    uint64_t l1_bytes, l2_bytes; /* of the first CPU that may be used; 0: not known */
    uint64_t l3_bytes;           /* all that the CPUs that may be used reach; 0: not known */
    unsigned count;              /* 0: the topology is not known */
    struct node node[MOST_NODES];
};

/* By hwloc, whose environment variables (HWLOC_SYNTHETIC) make another machine of it. */
void nodes_read(struct nodes *nodes);

#endif
