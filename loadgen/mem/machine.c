// What the memory loads need to know of the machine: its caches and its NUMA nodes.

#include "mem/mem.h"

#include <hwloc.h>

// 0: not known.
static uint64_t cache_bytes(hwloc_topology_t topology, int cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = unit ? hwloc_get_ancestor_obj_by_type(topology, type, unit) : NULL;
    return cache ? cache->attr->cache.size : 0;
}

void mem_machine_open(struct mem_machine *machine, const struct cpu_list *cpus)
{
    struct mem_caches *caches = &machine->caches;
    hwloc_topology_t topology = NULL;
    if (hwloc_topology_init(&topology) != 0)
        return;
    (void)hwloc_topology_set_icache_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return;
    }
    machine->topology = topology;
    caches->l1_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L1CACHE);
    caches->l1i_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L1ICACHE);
    caches->l2_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L2CACHE);
    caches->l3_bytes = cache_bytes(topology, cpus->cpu[0], HWLOC_OBJ_L3CACHE);
    // The sum over all L3s above the CPUs, each once: CPUs of one are neighbours in
    // the order of their numbers or not, so each is counted at its first CPU.
    uint64_t sum = 0;
    for (hwloc_obj_t l3 = NULL; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3));)
        for (unsigned i = 0; i < cpus->count; i++)
            if (hwloc_bitmap_isset(l3->cpuset, (unsigned)cpus->cpu[i])) {
                sum += l3->attr->cache.size;
                break;
            }
    caches->l3_all_bytes = sum;
}

void mem_machine_close(struct mem_machine *machine)
{
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
    machine->topology = NULL;
}

bool mem_machine_has_node(const struct mem_machine *machine, unsigned node, char *text, size_t size)
{
    if (!machine->topology) {
        snprintf(text, size, "unknown");
        return false;
    }
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(machine->topology);
    hwloc_bitmap_list_snprintf(text, size, allowed);
    return hwloc_bitmap_isset(allowed, node) != 0 &&
           hwloc_get_numanode_obj_by_os_index(machine->topology, node);
}

int mem_machine_bind(const struct mem_machine *machine, unsigned node, void *memory, size_t bytes)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set || !machine->topology) {
        hwloc_bitmap_free(set);
        errno = ENOSYS;
        return -1;
    }
    hwloc_bitmap_set(set, node);
    const int failed = hwloc_set_area_membind(machine->topology, memory, bytes, set,
                                              HWLOC_MEMBIND_BIND, HWLOC_MEMBIND_BYNODESET);
    const int error = errno;
    hwloc_bitmap_free(set);
    errno = error;
    return failed;
}

int mem_machine_node_of(const struct mem_machine *machine, const void *memory)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int node = -1;
    if (set && machine->topology &&
        hwloc_get_area_memlocation(machine->topology, memory, 1, set, HWLOC_MEMBIND_BYNODESET) == 0)
        node = hwloc_bitmap_first(set);
    hwloc_bitmap_free(set);
    return node;
}
