#include "machine.h"

#include "common/machine.h"
#include "common/messages.h"

#include <math.h>
#include <stdlib.h>

hwloc_bitmap_t machine_parse(const char *text)
{
    struct cpu_list list; /* its parser is strict; hwloc's takes almost anything */
    hwloc_bitmap_t cpus = cpus_parse(text, &list) == 0 ? hwloc_bitmap_alloc() : NULL;
    for (unsigned i = 0; cpus != NULL && i < list.count; i++)
        hwloc_bitmap_set(cpus, (unsigned)list.cpu[i]);
    return cpus;
}

char *machine_format(hwloc_const_bitmap_t cpus)
{
    char *text = NULL;
    return hwloc_bitmap_list_asprintf(&text, cpus) < 0 ? NULL : text;
}

/* The topology with everything in it, allowed or not, and without devices. */
static bool load(struct machine *machine, const char *synthetic, bool *usage)
{
    if (hwloc_topology_init(&machine->topology) != 0)
        return complain("out of memory: free some");
    if (synthetic != NULL && hwloc_topology_set_synthetic(machine->topology, synthetic) != 0) {
        *usage = true;
        return complain("--synthetic %s: hwloc does not understand it: see hwloc(7), such as "
                        "'node:2 l3:2 core:4 pu:2'",
                        synthetic);
    }
    if (hwloc_topology_set_flags(machine->topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
        hwloc_topology_set_io_types_filter(machine->topology, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        hwloc_topology_load(machine->topology) != 0)
        return complain("hwloc cannot read this machine's topology: see lstopo");
    machine->this_system = hwloc_topology_is_thissystem(machine->topology) != 0;
    return true;
}

static bool narrow(struct machine *machine, const char *allowed, bool *usage)
{
    hwloc_bitmap_t named = allowed == NULL ? NULL : machine_parse(allowed);
    hwloc_bitmap_and(machine->allowed, machine->cpuset, machine->affinity);
    if (allowed != NULL && named == NULL)
        return complain("out of memory: free some");
    if (named != NULL)
        hwloc_bitmap_and(machine->allowed, machine->allowed, named);
    hwloc_bitmap_free(named);
    if (!hwloc_bitmap_iszero(machine->allowed))
        return true;
    *usage = allowed != NULL;
    return complain("no CPU is allowed here: check taskset -p $$ and the cgroup's cpuset");
}

/* hwloc has the cgroup's cpuset; the affinity of a process is always within it. */
static bool find_allowed(struct machine *machine, const char *allowed, bool *usage)
{
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(machine->topology);
    machine->complete = hwloc_bitmap_dup(all);
    machine->cpuset = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine->topology));
    machine->affinity = hwloc_bitmap_dup(all);
    machine->allowed = hwloc_bitmap_alloc();
    machine->quota_cpus = INFINITY;
    if (machine->complete == NULL || machine->cpuset == NULL || machine->affinity == NULL ||
        machine->allowed == NULL)
        return complain("out of memory: free some");
    if (machine->this_system) {
        if (hwloc_get_cpubind(machine->topology, machine->affinity, HWLOC_CPUBIND_THREAD) != 0)
            return complain("the CPU affinity cannot be read: see taskset -p $$");
        machine->quota_cpus = cpus_quota();
    }
    return narrow(machine, allowed, usage);
}

bool machine_open(struct machine *machine, const char *synthetic, const char *allowed, bool *usage)
{
    *machine = (struct machine){0};
    *usage = false;
    if (load(machine, synthetic, usage) && find_allowed(machine, allowed, usage))
        return true;
    machine_close(machine);
    return false;
}

void machine_close(struct machine *machine)
{
    hwloc_bitmap_free(machine->complete);
    hwloc_bitmap_free(machine->cpuset);
    hwloc_bitmap_free(machine->affinity);
    hwloc_bitmap_free(machine->allowed);
    if (machine->topology != NULL)
        hwloc_topology_destroy(machine->topology);
}

/* Adds a hardware thread to its core's seat, which is the last one if there is
 * one already: hwloc's order keeps the threads of a core together. */
static bool seat_thread(const struct machine *machine, struct seats *seats, hwloc_obj_t thread)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine->topology, HWLOC_OBJ_CORE, thread);
    core = core == NULL ? thread : core;
    if (seats->count > 0 && seats->seat[seats->count - 1].core == core)
        return hwloc_bitmap_set(seats->seat[seats->count - 1].others, thread->os_index) == 0;
    struct seat *seat = &seats->seat[seats->count];
    *seat = (struct seat){
        .cpu = thread->os_index,
        .thread = thread,
        .core = core,
        .l3 = hwloc_get_ancestor_obj_by_type(machine->topology, HWLOC_OBJ_L3CACHE, thread),
        .others = hwloc_bitmap_alloc(),
    };
    seats->count++;
    return seat->others != NULL;
}

bool seats_find(const struct machine *machine, hwloc_const_bitmap_t usable, struct seats *seats)
{
    const int threads = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PU);
    hwloc_obj_t thread = NULL;
    seats->count = 0;
    seats->machine = machine;
    seats->seat = calloc(threads > 0 ? (size_t)threads : 1, sizeof *seats->seat);
    if (seats->seat == NULL)
        return complain("out of memory: free some");
    while ((thread = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_PU, thread)) != NULL)
        if (hwloc_bitmap_isset(usable, thread->os_index) && !seat_thread(machine, seats, thread))
            return complain("out of memory: free some");
    return true;
}

void seats_free(struct seats *seats)
{
    for (unsigned i = 0; i < seats->count; i++)
        hwloc_bitmap_free(seats->seat[i].others);
    free(seats->seat);
    *seats = (struct seats){0};
}
