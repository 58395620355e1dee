#ifndef LOADGEN_MEM_MACHINE_H
#define LOADGEN_MEM_MACHINE_H

/* What the memory load needs to know of the machine: caches, NUMA nodes, pages. */

#include "common/machine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* Memory for a worker, and which pages the kernel really gave for it. */

/* Pages that the workers were given, added up when they begin. */
struct mem_pages {
    _Atomic uint64_t mapped_bytes; /* resident, of all kinds */
    _Atomic uint64_t thp_bytes;    /* of them in transparent huge pages */
    _Atomic uint64_t hugetlb_bytes;
    _Atomic uint64_t page_bytes; /* of a hugetlb or base page */
    _Atomic uint64_t nodes;      /* bit N: node N has some of it */
};

struct mem_area {
    void *memory; /* at a multiple of 2 MiB */
    void *base;   /* for munmap() */
    size_t base_bytes;
};

/* bytes of untouched memory, in huge pages if asked and there are. 0, or -1 with errno. */
int mem_pages_map(struct mem_area *area, size_t bytes, bool huge);
void mem_pages_unmap(struct mem_area *area);
/* Adds what the kernel gave for touched memory, by /proc/self/smaps. */
void mem_pages_count(struct mem_pages *pages, const void *memory);
/* The same, from a text such as that file. */
void mem_pages_read(struct mem_pages *pages, FILE *smaps, const void *memory);
/* Reserved huge pages that are free: MemAvailable does not include them. */
uint64_t mem_pages_reserved_bytes(void);
/* Why --huge cannot be had here; NULL: it can. */
const char *mem_pages_no_huge(void);
/* "thp", "hugetlb", "base" or, where only a part is huge, "mixed". */
const char *mem_pages_name(const struct mem_pages *pages);

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
