// What the cells of the memory have to know of the machine: its caches, nodes and DIMMs.

#include "facts.h"

#include "common/cpus.h"
#include "common/memory.h"
#include "common/record_json.h"

#include <hwloc.h>
#include <math.h>

static double cache_above(hwloc_topology_t topology, int cpu, hwloc_obj_type_t type)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t cache = !unit ? NULL : hwloc_get_ancestor_obj_by_type(topology, type, unit);
    return !cache ? 0 : (double)cache->attr->cache.size;
}

static double sum_l3(hwloc_topology_t topology, hwloc_const_cpuset_t usable)
{
    double sum = 0;
    for (hwloc_obj_t l3 = NULL; (l3 = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, l3));)
        if (hwloc_bitmap_intersects(l3->cpuset, usable))
            sum += (double)l3->attr->cache.size;
    return sum;
}

// What a NUMA node can be measured with: its CPUs that may be used, the first one and those of
// other cores, and its memory.
static void axes_of_node(json_t *cpu_nodes, json_t *memory_nodes, hwloc_topology_t topology,
                         hwloc_obj_t node, hwloc_const_cpuset_t usable)
{
    char list[1024]; // "1-3,8"
    hwloc_bitmap_t cpus = must(hwloc_bitmap_alloc());
    hwloc_bitmap_and(cpus, node->cpuset, usable);
    const int cpu = hwloc_bitmap_first(cpus);
    hwloc_obj_t unit = cpu < 0 ? NULL : hwloc_get_pu_obj_by_os_index(topology, (unsigned)cpu);
    hwloc_obj_t core =
        !unit ? NULL : hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
    if (core)
        hwloc_bitmap_andnot(cpus, cpus, core->cpuset);
    else if (cpu >= 0)
        hwloc_bitmap_clr(cpus, (unsigned)cpu);
    hwloc_bitmap_list_snprintf(list, sizeof list, cpus);
    if (cpu >= 0)
        json_add(cpu_nodes,
                 must(json_pack("{s:i, s:i, s:i, s:s}", "cpu_node", (int)node->os_index, "cpu", cpu,
                                "others", hwloc_bitmap_weight(cpus), "list", list)));
    if (hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), node->os_index) &&
        node->attr->numanode.local_memory > 0)
        axis_add(memory_nodes, "memory_node", node->os_index);
    hwloc_bitmap_free(cpus);
}

// Returns the CPUs of the topology; where it is that of this machine, only those in our affinity
// mask.
static hwloc_bitmap_t usable_cpus(hwloc_topology_t topology)
{
    struct cpu_list allowed;
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    if (usable && mask && hwloc_topology_is_thissystem(topology) && cpus_allowed(&allowed) == 0) {
        for (unsigned i = 0; i < allowed.count; i++)
            hwloc_bitmap_set(mask, (unsigned)allowed.cpu[i]);
        hwloc_bitmap_and(usable, usable, mask);
    }
    hwloc_bitmap_free(mask);
    return usable;
}

// Puts the bytes of the caches of the CPUs that may be used: l1 and l2 of the first one, l3 of all
// of them; 0: they are not known. hwloc says them, whose environment variables (HWLOC_SYNTHETIC)
// can make up another machine.
static void facts_of_topology(json_t *variables, json_t *axes, bool quick)
{
    hwloc_topology_t topology;
    hwloc_bitmap_t usable = NULL;
    json_t *cpus = axis_new(axes, "cpu-node"), *memories = axis_new(axes, "memory-node");
    size_t nodes = 0;
    const bool made = hwloc_topology_init(&topology) == 0;
    if (made && hwloc_topology_load(topology) == 0)
        usable = usable_cpus(topology);
    const int first = !usable ? -1 : hwloc_bitmap_first(usable);
    const bool known = first >= 0;
    facts_put(variables, "l1", !known ? 0 : cache_above(topology, first, HWLOC_OBJ_L1CACHE));
    facts_put(variables, "l2", !known ? 0 : cache_above(topology, first, HWLOC_OBJ_L2CACHE));
    facts_put(variables, "l3", !known ? 0 : sum_l3(topology, usable));
    for (hwloc_obj_t node = NULL;
         known && (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)); nodes++)
        axes_of_node(cpus, memories, topology, node, usable);
    while (quick && json_array_size(cpus) > 1)
        json_array_remove(cpus, 1);
    facts_put(variables, "nodes", (double)nodes);
    hwloc_bitmap_free(usable);
    if (made)
        hwloc_topology_destroy(topology);
}

void facts_of_memory(json_t *variables, json_t *axes, const struct bench_request *request)
{
    char source[256];
    facts_of_room(variables);
    facts_of_topology(variables, axes, request->quick);
    double peak = peak_stated(request, "memory", source, sizeof source);
    if (isnan(peak))
        peak = dmi_machine_peak(source, sizeof source);
    facts_put_peak(variables, peak, source);
    facts_put_stated(variables, "latency_peak", request, "memory-latency");
}
