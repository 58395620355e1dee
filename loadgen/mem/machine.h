#ifndef LOADGEN_MEM_MACHINE_H
#define LOADGEN_MEM_MACHINE_H

/* What the memory load needs to know of the machine: caches and NUMA nodes. */

#include "common/machine.h"

#include "mem/plateau.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hwloc_topology;

struct mem_caches {
    uint64_t l1_bytes, l2_bytes; /* data or unified; of the first CPU; 0: not known */
    uint64_t l1i_bytes;          /* of instructions; of the first CPU; 0: not known */
    uint64_t l3_bytes;           /* one of them */
    uint64_t l3_all_bytes;       /* all that the load's CPUs reach */
};

struct mem_machine {
    struct mem_caches caches;
    struct hwloc_topology *topology; /* NULL: not known */
};

/* The caches of the CPUs that the load may use, 0 bytes for what is not known; and the
 * topology, to be freed by mem_machine_close(). */
void mem_machine_open(struct mem_machine *machine, const struct cpu_list *cpus);
void mem_machine_close(struct mem_machine *machine);
/* Whether there is such a NUMA node, and it may be used; if not, all that may be
 * are listed in text. */
bool mem_machine_has_node(const struct mem_machine *machine, unsigned node, char *text,
                          size_t size);
/* Memory that was not touched yet comes from that node. 0, or -1 with errno. */
int mem_machine_bind(const struct mem_machine *machine, unsigned node, void *memory, size_t bytes);
/* The node of the page at memory, which was touched; -1: not known. */
int mem_machine_node_of(const struct mem_machine *machine, const void *memory);

/* Where the caches of this machine end, whatever they are said to be: the L3 that a
 * virtual machine reports need not be the one below it. Latency of dependent loads at
 * random places rises with the size of the memory they go to as long as some of them
 * still find a cache; from the edge on it stays what it is. */

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
