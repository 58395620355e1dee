#ifndef COMMON_TOPOLOGY_READ_H
#define COMMON_TOPOLOGY_READ_H

/* Where each CPU sits: what topology.c makes its tree of. */

#include "common/topology.h"

#ifdef WITHOUT_hwloc

enum { TOPOLOGY_NODES = 1024, TOPOLOGY_LEVELS = HWLOC_OBJ_PU + 1 };

struct topology_cpu {
    int cpu;
    int key[TOPOLOGY_LEVELS]; /* CPUs with the same one share the object; -1: there is none */
    uint64_t bytes[TOPOLOGY_LEVELS]; /* of caches; 0: not known */
};

struct topology_cpus {
    size_t count;
    struct topology_cpu *cpu;
    size_t nodes;
    struct {
        unsigned number;
        uint64_t bytes;
    } node[TOPOLOGY_NODES];
};

/* Of this machine (under JOSTLE_KERNEL_ROOT). All CPUs that are online; where that is not shown,
 * those that this process may use, and nothing else is known. False with errno; to be freed by
 * topology_cpus_free() in either case. The key of HWLOC_OBJ_GROUP is the NUMA node's number. */
bool topology_cpus_read(struct topology_cpus *cpus);
/* Of "node:2 l3:2 core:4 pu:2". False with errno EINVAL: another form. */
bool topology_cpus_make(struct topology_cpus *cpus, const char *description);
void topology_cpus_free(struct topology_cpus *cpus);

#endif
#endif
