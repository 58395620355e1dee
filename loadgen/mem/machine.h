#ifndef LOADGEN_MEM_MACHINE_H
#define LOADGEN_MEM_MACHINE_H

/* What the memory load needs to know of the machine: caches and NUMA nodes. */

#include "common/machine.h"

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

/* Latencies at growing sizes. */
struct edge_point {
    uint64_t bytes;
    double ns_per_load;
};

/* The smallest size from which on no latency is more than 5 % below that of the largest; 0: not
 * known, as latency rises up to the largest, or there are fewer than two. Loads
 * at random places of S bytes find a cache of C bytes with the chance C / S: where it is
 * ten times as fast as memory, that is at about 18 times C. */
uint64_t edge_of(const struct edge_point *point, size_t count);

#endif
