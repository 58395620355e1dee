// The CPUs of each copy, for --place and --cpus-per-copy.

#include "pack.h"

#include "common/core_kinds.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "harness/placement/placement.h"

#include <math.h>

enum { DEPTH_MOST = 32 };

// CPUs of one copy: where they sit, from the hardware thread up to the machine.
struct unit {
    hwloc_bitmap_t cpus;
    unsigned rank[DEPTH_MOST]; // among siblings of which something is allowed
    size_t depth;
};

// How many siblings before it have a CPU that is allowed.
static unsigned rank_of(hwloc_obj_t object, hwloc_const_bitmap_t allowed)
{
    unsigned rank = 0;
    for (hwloc_obj_t before = object->prev_sibling; before != NULL; before = before->prev_sibling)
        rank += hwloc_bitmap_intersects(before->cpuset, allowed) != 0;
    return rank;
}

// All first threads come before any second one, of these all first cores of a cache before any
// second one, and so on.
static int by_distance(const void *one, const void *other)
{
    const struct unit *a = one, *b = other;
    for (size_t i = 0; i < a->depth && i < b->depth; i++)
        if (a->rank[i] != b->rank[i])
            return a->rank[i] < b->rank[i] ? -1 : 1;
    return 0;
}

// Lists of per_copy neighbouring threads each, in the machine's order, or as far apart as possible.
static json_t *unit_lists(const struct machine *machine, const struct pack_request *request)
{
    const size_t per_copy = (size_t)request->cpus_per_copy,
                 whole = (size_t)hwloc_bitmap_weight(machine->allowed) / per_copy;
    OWNED struct unit *unit = must(calloc(whole + 1, sizeof *unit));
    json_t *lists = must(json_array());
    hwloc_obj_t thread = NULL;
    size_t taken = 0;
    while (taken / per_copy < whole &&
           (thread = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_PU, thread)) != NULL) {
        if (!hwloc_bitmap_isset(machine->allowed, thread->os_index))
            continue;
        struct unit *own = &unit[taken / per_copy];
        if (taken++ % per_copy == 0) {
            own->cpus = must(hwloc_bitmap_alloc());
            for (hwloc_obj_t at = thread; at && own->depth < DEPTH_MOST; at = at->parent)
                own->rank[own->depth++] = rank_of(at, machine->allowed);
        }
        if (hwloc_bitmap_set(own->cpus, thread->os_index) != 0)
            must(NULL);
    }
    if (request->place == PACK_SPREAD)
        qsort(unit, whole, sizeof *unit, by_distance);
    for (size_t i = 0; i < whole; i++) {
        json_add(lists, json_owned_text(must(machine_format(unit[i].cpus))));
        hwloc_bitmap_free(unit[i].cpus);
    }
    return lists;
}

// Every CPU of --target-cpus has to be one that is allowed.
static void check_allowed(const struct machine *machine, const char *wanted)
{
    hwloc_bitmap_t missing = must(machine_parse(wanted));
    (void)hwloc_bitmap_andnot(missing, missing, machine->allowed);
    const int first = hwloc_bitmap_first(missing);
    hwloc_bitmap_free(missing);
    if (first >= 0)
        usage_error("--target-cpus %s: CPU %d is not allowed here: see jostle topology", wanted,
                    first);
}

// A line on stderr where copies would be on cores of unlike speed: the slowest one is the last to
// end, however many there are.
static void warn_of_kinds(const struct machine *machine, const char *allowed)
{
    OWNED struct core_kinds *kinds = machine->this_system ? core_kinds_read() : NULL;
    struct cpu_list cpus;
    if (kinds && cpus_parse(allowed, &cpus) == 0 && core_kinds_among(kinds, &cpus) > 1)
        complain("the copies' CPUs %s are of several kinds of cores, of unlike speed: jostle "
                 "topology shows them; give CPUs of one kind with --target-cpus",
                 allowed);
}

json_t *seats_choose(const struct pack_request *request)
{
    struct machine machine;
    bool usage;
    if (!machine_open(&machine, request->synthetic, request->target_cpus, &usage))
        exit(usage ? 2 : EXIT_FAILURE);
    if (request->target_cpus)
        check_allowed(&machine, request->target_cpus);
    OWNED char *allowed = must(machine_format(machine.allowed));
    const double cpus = hwloc_bitmap_weight(machine.allowed), quota = machine.quota_cpus,
                 usable = fmin(cpus, fmax(floor(quota), 1)),
                 room = floor(usable / (double)request->cpus_per_copy);
    warn_of_kinds(&machine, allowed);
    if (room < 1)
        usage_error("--cpus-per-copy %ju: there are only %g CPUs: give no more",
                    (uintmax_t)request->cpus_per_copy, usable);
    json_t *lists = request->place != PACK_ANYWHERE ? unit_lists(&machine, request)
                    : request->target_cpus          ? must(json_pack("[s]", allowed))
                                                    : json_null();
    machine_close(&machine);
    return must(json_pack("{s:s, s:I, s:o, s:I, s:o}", "allowed", allowed, "count",
                          (json_int_t)cpus, "quota", json_number(quota), "room", (json_int_t)room,
                          "lists", lists));
}
