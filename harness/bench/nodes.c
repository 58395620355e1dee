#include "nodes.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "common/machine.h"
#include "common/memory.h"

static uint64_t cache_above(hwloc_topology_t topology, int cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = unit == NULL ? NULL : hwloc_get_ancestor_obj_by_type(topology, type, unit);
    return cache == NULL ? 0 : cache->attr->cache.size;
}

static uint64_t sum_l3(hwloc_topology_t topology, hwloc_const_cpuset_t usable)
{
    uint64_t sum = 0;
    for (hwloc_obj_t l3 = NULL; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3));)
        if (hwloc_bitmap_intersects(l3->cpuset, usable))
            sum += l3->attr->cache.size;
    return sum;
}

/* The CPUs of a node that may be used: the first one, and those of other cores. */
static void take_node(hwloc_topology_t topology, hwloc_obj_t object, hwloc_const_cpuset_t usable,
                      struct node *node)
{
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    *node = (struct node){.number = object->os_index, .cpu = -1};
    node->has_memory =
        hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), object->os_index) != 0 &&
        object->attr->numanode.local_memory > 0;
    if (cpus == NULL)
        return;
    hwloc_bitmap_and(cpus, object->cpuset, usable);
    node->cpu = hwloc_bitmap_first(cpus);
    hwloc_obj_t unit =
        node->cpu < 0 ? NULL : hwloc_get_pu_obj_by_os_index(topology, (unsigned)node->cpu);
    hwloc_obj_t core =
        unit == NULL ? NULL : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    if (core != NULL)
        hwloc_bitmap_andnot(cpus, cpus, core->cpuset);
    else if (node->cpu >= 0)
        hwloc_bitmap_clr(cpus, (unsigned)node->cpu);
    node->others = (unsigned)hwloc_bitmap_weight(cpus);
    hwloc_bitmap_list_snprintf(node->list, sizeof node->list, cpus);
    hwloc_bitmap_free(cpus);
}

/* Of this machine only what the affinity mask leaves. */
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology)
{
    struct cpu_list allowed;
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (usable != NULL && mask != NULL && hwloc_topology_is_thissystem(topology) &&
        cpus_allowed(&allowed) == 0) {
        for (unsigned i = 0; i < allowed.count; i++)
            hwloc_bitmap_set(mask, (unsigned)allowed.cpu[i]);
        hwloc_bitmap_and(usable, usable, mask);
    }
    hwloc_bitmap_free(mask);
    return usable;
}

static void read_topology(hwloc_topology_t topology, struct nodes *nodes)
{
    hwloc_bitmap_t usable = usable_cpus(topology);
    const int first = usable == NULL ? -1 : hwloc_bitmap_first(usable);
    if (first >= 0) {
        nodes->l1_bytes = cache_above(topology, first, HWLOC_OBJ_L1CACHE);
        nodes->l2_bytes = cache_above(topology, first, HWLOC_OBJ_L2CACHE);
        nodes->l3_bytes = sum_l3(topology, usable);
        for (hwloc_obj_t node = NULL;
             nodes->count < MOST_NODES &&
             (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));)
            take_node(topology, node, usable, &nodes->node[nodes->count++]);
    }
    hwloc_bitmap_free(usable);
}

void nodes_read(struct nodes *nodes)
{
    hwloc_topology_t topology;
    memset(nodes, 0, sizeof *nodes);
    if (hwloc_topology_init(&topology) != 0)
        return;
    if (hwloc_topology_load(topology) == 0)
        read_topology(topology, nodes);
    hwloc_topology_destroy(topology);
}
