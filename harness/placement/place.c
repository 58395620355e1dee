// Reads the machine by hwloc, and chooses the CPUs of target and load on it.

#include "placement.h"

#include "common/cpus.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

hwloc_bitmap_t machine_parse(const char *text)
{
    struct cpu_list list; // its parser is strict; hwloc's takes almost anything
    hwloc_bitmap_t cpus = must(hwloc_bitmap_alloc());
    list.count = 0;
    (void)cpus_parse(text, &list);
    for (unsigned i = 0; i < list.count; i++)
        hwloc_bitmap_set(cpus, (unsigned)list.cpu[i]);
    return cpus;
}

char *machine_format(hwloc_const_bitmap_t cpus)
{
    char *text = NULL;
    return must(hwloc_bitmap_list_asprintf(&text, cpus) < 0 ? NULL : text);
}

// The topology with everything in it, allowed or not, and without devices.
static bool load(struct machine *machine, const char *synthetic, bool *usage)
{
    must(hwloc_topology_init(&machine->topology) != 0 ? NULL : machine->topology);
    if (synthetic && hwloc_topology_set_synthetic(machine->topology, synthetic) != 0) {
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
    hwloc_bitmap_t named = !allowed ? NULL : machine_parse(allowed);
    hwloc_bitmap_and(machine->allowed, machine->cpuset, machine->affinity);
    if (named)
        hwloc_bitmap_and(machine->allowed, machine->allowed, named);
    hwloc_bitmap_free(named);
    if (!hwloc_bitmap_iszero(machine->allowed))
        return true;
    *usage = allowed != NULL;
    return complain("no CPU is allowed here: check taskset -p $$ and the cgroup's cpuset");
}

// hwloc has the cgroup's cpuset; the affinity of a process is always within it.
static bool find_allowed(struct machine *machine, const char *allowed, bool *usage)
{
    const hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(machine->topology);
    machine->complete = must(hwloc_bitmap_dup(all));
    machine->cpuset = must(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(machine->topology)));
    machine->affinity = must(hwloc_bitmap_dup(all));
    machine->allowed = must(hwloc_bitmap_alloc());
    machine->quota_cpus = INFINITY;
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
    if (machine->topology)
        hwloc_topology_destroy(machine->topology);
}

// A core of which something may be used.
struct seat {
    unsigned cpu;          // its first usable hardware thread, as Linux numbers it
    hwloc_obj_t thread;    // the same
    hwloc_obj_t core;      // the thread itself where hwloc sees no cores
    hwloc_obj_t l3;        // NULL: none
    hwloc_bitmap_t others; // the core's other usable threads
};

struct seats {
    const struct machine *machine;
    unsigned count;
    struct seat *seat; // in the machine's order: neighbours are together
};

// Adds a hardware thread to its core's seat, which is the last one if there is
// one already: hwloc's order keeps the threads of a core together.
static void seat_thread(const struct machine *machine, struct seats *seats, hwloc_obj_t thread)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine->topology, HWLOC_OBJ_CORE, thread);
    core = !core ? thread : core;
    if (seats->count > 0 && seats->seat[seats->count - 1].core == core) {
        hwloc_bitmap_set(seats->seat[seats->count - 1].others, thread->os_index);
        return;
    }
    seats->seat[seats->count++] = (struct seat){
        .cpu = thread->os_index,
        .thread = thread,
        .core = core,
        .l3 = hwloc_get_ancestor_obj_by_type(machine->topology, HWLOC_OBJ_L3CACHE, thread),
        .others = must(hwloc_bitmap_alloc()),
    };
}

// The cores that have CPUs in `usable`.
static struct seats seats_find(const struct machine *machine, hwloc_const_bitmap_t usable)
{
    const int threads = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_PU);
    hwloc_obj_t thread = NULL;
    struct seats seats = {.machine = machine};
    seats.seat = must(calloc(threads > 0 ? (size_t)threads : 1, sizeof *seats.seat));
    while ((thread = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_PU, thread)) != NULL)
        if (hwloc_bitmap_isset(usable, thread->os_index))
            seat_thread(machine, &seats, thread);
    return seats;
}

static void seats_free(struct seats *seats)
{
    for (unsigned i = 0; i < seats->count; i++)
        hwloc_bitmap_free(seats->seat[i].others);
    free(seats->seat);
    *seats = (struct seats){0};
}

// How far a load sits from its target.

const char *const place_names[] = {
    [PLACE_CORE] = "core",
    [PLACE_SMT] = "smt",
    [PLACE_L3] = "l3",
    [PLACE_NODE] = "node",
    [PLACE_OTHER_NODE] = "other-node",
    [PLACE_MACHINE] = "machine",
    [PLACES] = NULL,
};

static const struct {
    const char *meaning, *lack;
} places[PLACES] = {
    [PLACE_CORE] = {"the same hardware thread: target and load take turns on it", "core"},
    [PLACE_SMT] = {"sibling threads: one hardware thread of a core each", "sibling threads"},
    [PLACE_L3] = {"another core of the NUMA node: the same L3 cache, but another L2",
                  "two cores under one L3 cache, with an L2 of their own"},
    [PLACE_NODE] = {"another core of the NUMA node: another L3 cache, and another L2",
                    "two cores of one NUMA node without a common cache"},
    [PLACE_OTHER_NODE] = {"a core of another NUMA node", "second NUMA node with CPUs"},
    [PLACE_MACHINE] = {"no pinning: both anywhere that is allowed", "CPU"},
};

const char *place_meaning(enum place place)
{
    return places[place].meaning;
}

const char *place_list(const bool offers[PLACES], char *text, size_t size)
{
    text[0] = '\0';
    for (unsigned i = 0; i < PLACES; i++)
        if (offers[i])
            text_append(text, size, ", ", "%s", place_names[i]);
    return text;
}

// Memory of a kind of its own (HBM) makes several nodes local to a core.
static bool one_node(const struct seat *a, const struct seat *b)
{
    return hwloc_bitmap_intersects(a->thread->nodeset, b->thread->nodeset);
}

// The smallest cache that both are under; 0: L4 and beyond, or none.
static unsigned shared_level(const struct machine *machine, const struct seat *a,
                             const struct seat *b)
{
    hwloc_obj_t cache = hwloc_get_common_ancestor_obj(machine->topology, a->core, b->core);
    while (cache && !hwloc_obj_type_is_dcache(cache->type))
        cache = cache->parent;
    return !cache || cache->attr->cache.depth > 3 ? 0 : cache->attr->cache.depth;
}

// Whether a target that begins at `first` may have `seat`, too. Its own caches
// are to be one distance away from the load, hence it stays under one L3 where
// that is what the distance is about.
static bool suits_target(enum place place, const struct seat *first, const struct seat *seat)
{
    const bool by_l3 = place == PLACE_L3 || place == PLACE_NODE;
    return one_node(first, seat) && (!by_l3 || first->l3 == seat->l3) &&
           (place != PLACE_SMT || !hwloc_bitmap_iszero(seat->others));
}

static bool is_at(const struct machine *machine, enum place place, const struct seat *target,
                  const struct seat *seat)
{
    switch (place) {
    case PLACE_L3:
        return one_node(target, seat) && shared_level(machine, target, seat) == 3;
    case PLACE_NODE:
        return one_node(target, seat) && shared_level(machine, target, seat) == 0;
    case PLACE_OTHER_NODE:
        return !one_node(target, seat);
    default:
        return false;
    }
}

// Whether the load may have `seat`: it is as far from each core of the target.
static bool suits_load(const struct seats *seats, enum place place, hwloc_const_bitmap_t target,
                       const struct seat *seat)
{
    if (hwloc_bitmap_isset(target, seat->cpu))
        return false;
    for (unsigned i = 0; i < seats->count; i++)
        if (hwloc_bitmap_isset(target, seats->seat[i].cpu) &&
            !is_at(seats->machine, place, &seats->seat[i], seat))
            return false;
    return true;
}

// The target's cores from `first` on. False: too few.
static bool take_target(const struct seats *seats, enum place place, unsigned first, unsigned count,
                        hwloc_bitmap_t target)
{
    const struct seat *anchor = &seats->seat[first];
    hwloc_bitmap_zero(target);
    for (unsigned i = first; i < seats->count && count > 0; i++) {
        if (!suits_target(place, anchor, &seats->seat[i]))
            continue;
        hwloc_bitmap_set(target, seats->seat[i].cpu);
        count--;
    }
    return count == 0;
}

// The load's cores, from `first` on; all in one node. False: too few.
static bool take_load(const struct seats *seats, enum place place, unsigned first, unsigned count,
                      hwloc_const_bitmap_t target, hwloc_bitmap_t load)
{
    hwloc_bitmap_zero(load);
    for (unsigned i = first; i < seats->count && count > 0; i++) {
        const struct seat *seat = &seats->seat[i];
        if (!one_node(&seats->seat[first], seat) || !suits_load(seats, place, target, seat))
            continue;
        hwloc_bitmap_set(load, seat->cpu);
        count--;
    }
    return count == 0;
}

// Siblings of the target's threads, the first of each core before the second.
static bool take_siblings(const struct seats *seats, unsigned count, hwloc_const_bitmap_t target,
                          hwloc_bitmap_t load)
{
    bool found = true;
    hwloc_bitmap_zero(load);
    while (count > 0 && found) {
        found = false;
        for (unsigned i = 0; i < seats->count && count > 0; i++) {
            int sibling = -1;
            if (!hwloc_bitmap_isset(target, seats->seat[i].cpu))
                continue;
            do
                sibling = hwloc_bitmap_next(seats->seat[i].others, sibling);
            while (sibling >= 0 && hwloc_bitmap_isset(load, (unsigned)sibling));
            if (sibling < 0)
                continue;
            hwloc_bitmap_set(load, (unsigned)sibling);
            found = true;
            count--;
        }
    }
    return count == 0;
}

static bool find_load(const struct seats *seats, enum place place, unsigned count,
                      hwloc_const_bitmap_t target, hwloc_bitmap_t load)
{
    if (place == PLACE_CORE)
        return hwloc_bitmap_copy(load, target) == 0;
    if (place == PLACE_SMT)
        return take_siblings(seats, count, target, load);
    const struct seat *tried = NULL; // from a later core of the same node there are fewer
    for (unsigned first = 0; first < seats->count; first++) {
        const struct seat *seat = &seats->seat[first];
        if ((tried && one_node(tried, seat)) || !suits_load(seats, place, target, seat))
            continue;
        if (take_load(seats, place, first, count, target, load))
            return true;
        tried = seat;
    }
    return false;
}

// Whether some cores share a cache below the L3.
static bool have_clusters(const struct seats *seats)
{
    for (unsigned i = 0; i + 1 < seats->count; i++) {
        const unsigned level = shared_level(seats->machine, &seats->seat[i], &seats->seat[i + 1]);
        if (level == 1 || level == 2)
            return true;
    }
    return false;
}

static bool find(const struct seats *seats, enum place place, unsigned targets, unsigned loads,
                 struct placement *placement)
{
    const struct seat *tried = NULL; // from a later core of the same group there are fewer,
    const bool clusters = have_clusters(seats); // unless an L2 is shared by some of them
    for (unsigned anchor = 0; anchor < seats->count; anchor++) {
        const struct seat *seat = &seats->seat[anchor];
        if (!suits_target(place, seat, seat) ||
            (tried && !clusters && suits_target(place, tried, seat)))
            continue;
        if (take_target(seats, place, anchor, targets, placement->target) &&
            find_load(seats, place, loads, placement->target, placement->load))
            return true;
        tried = seat;
    }
    return false;
}

// What there is among the CPUs `usable`, with one core for each.
static void find_offers(const struct machine *machine, hwloc_const_bitmap_t usable,
                        bool offers[PLACES])
{
    struct placement scratch = {.target = must(hwloc_bitmap_alloc()),
                                .load = must(hwloc_bitmap_alloc())};
    struct seats seats = seats_find(machine, usable);
    for (unsigned i = 0; i < PLACES; i++)
        offers[i] = i == PLACE_MACHINE || find(&seats, (enum place)i, 1, 1, &scratch);
    seats_free(&seats);
    placement_close(&scratch);
}

void placement_open(struct placement *placement, const struct machine *machine)
{
    *placement = (struct placement){.target = must(hwloc_bitmap_alloc()),
                                    .load = must(hwloc_bitmap_alloc())};
    find_offers(machine, machine->allowed, placement->offers);
}

void placement_close(struct placement *placement)
{
    hwloc_bitmap_free(placement->target);
    hwloc_bitmap_free(placement->load);
    placement->target = placement->load = NULL;
}

// Why there is no such place.
static void refuse(const struct placement *placement, const struct machine *machine,
                   enum place place, unsigned targets, unsigned loads)
{
    bool whole[PLACES] = {false};
    char has[128];
    OWNED char *allowed = machine_format(machine->allowed);
    place_list(placement->offers, has, sizeof has);
    find_offers(machine, machine->complete, whole);
    if (placement->offers[place])
        complain("--place %s: no room for %u cores of the target and %u of the load there: give "
                 "fewer with --place-cpus",
                 place_names[place], targets, loads);
    else if (whole[place])
        complain("--place %s: the CPUs allowed here (%s) have no %s: they have %s",
                 place_names[place], allowed, places[place].lack, has);
    else
        complain("--place %s: this machine has no %s: it has %s", place_names[place],
                 places[place].lack, has);
}

bool placement_choose(struct placement *placement, const struct machine *machine, enum place place,
                      unsigned targets, unsigned loads)
{
    if (place == PLACE_MACHINE) {
        return hwloc_bitmap_copy(placement->target, machine->allowed) == 0 &&
               hwloc_bitmap_copy(placement->load, machine->allowed) == 0;
    }
    struct seats seats = seats_find(machine, machine->allowed);
    const bool found = find(&seats, place, targets, loads, placement);
    seats_free(&seats);
    if (!found)
        refuse(placement, machine, place, targets, loads);
    return found;
}
