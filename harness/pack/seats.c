#include "seats.h"
#include "common/core_kinds.h"
#include "common/memory.h"

#include "common/machine.h"
#include "common/messages.h"
#include "harness/placement/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 32 };

/* CPUs of one copy: where they sit, from the hardware thread up to the machine. */
struct unit {
    hwloc_bitmap_t cpus;
    unsigned rank[DEPTH_MOST]; /* among siblings of which something is allowed */
    size_t depth;
};

/* How many siblings before it have a CPU that is allowed. */
static unsigned rank_of(hwloc_obj_t object, hwloc_const_bitmap_t allowed)
{
    unsigned rank = 0;
    for (hwloc_obj_t before = object->prev_sibling; before != NULL; before = before->prev_sibling)
        rank += hwloc_bitmap_intersects(before->cpuset, allowed) != 0;
    return rank;
}

static void locate(struct unit *unit, hwloc_obj_t thread, hwloc_const_bitmap_t allowed)
{
    for (hwloc_obj_t at = thread; at != NULL && unit->depth < DEPTH_MOST; at = at->parent)
        unit->rank[unit->depth++] = rank_of(at, allowed);
}

/* All first threads come before any second one, of these all first cores of a cache before any
 * second one, and so on. */
static int by_distance(const void *one, const void *other)
{
    const struct unit *a = one, *b = other;
    for (size_t i = 0; i < a->depth && i < b->depth; i++)
        if (a->rank[i] != b->rank[i])
            return a->rank[i] < b->rank[i] ? -1 : 1;
    return 0;
}

/* Units of per_copy neighbouring threads each, in the machine's order. Returns how many. */
static size_t find_units(const struct machine *machine, size_t per_copy, struct unit *unit)
{
    const size_t whole = (size_t)hwloc_bitmap_weight(machine->allowed) / per_copy;
    hwloc_obj_t thread = NULL;
    size_t taken = 0;
    while ((thread = hwloc_get_next_obj_by_type(machine->topology, HWLOC_OBJ_PU, thread)) != NULL) {
        if (!hwloc_bitmap_isset(machine->allowed, thread->os_index) || taken / per_copy >= whole)
            continue;
        struct unit *own = &unit[taken / per_copy];
        if (taken % per_copy == 0) {
            own->cpus = must(hwloc_bitmap_alloc());
            locate(own, thread, machine->allowed);
        }
        if (hwloc_bitmap_set(own->cpus, thread->os_index) != 0)
            must(NULL);
        taken++;
    }
    return taken / per_copy;
}

static void place(struct pack_seats *seats, const struct machine *machine,
                  const struct request *request)
{
    const size_t per_copy = (size_t)request->cpus_per_copy;
    struct unit *unit = must(calloc(seats->cpus, sizeof *unit));
    seats->count = find_units(machine, per_copy, unit);
    seats->list = must(calloc(seats->count, sizeof *seats->list));
    if (request->place == PACK_SPREAD)
        qsort(unit, seats->count, sizeof *unit, by_distance);
    for (size_t i = 0; i < seats->count; i++) {
        seats->list[i] = must(machine_format(unit[i].cpus));
        hwloc_bitmap_free(unit[i].cpus);
    }
    free(unit);
}

/* Every CPU of --target-cpus has to be one that is allowed. */
static bool are_allowed(const struct machine *machine, const char *wanted)
{
    hwloc_bitmap_t missing = wanted == NULL ? NULL : must(machine_parse(wanted));
    if (missing == NULL)
        return true;
    (void)hwloc_bitmap_andnot(missing, missing, machine->allowed);
    const int first = hwloc_bitmap_first(missing);
    hwloc_bitmap_free(missing);
    return first < 0 || complain("--target-cpus %s: CPU %d is not allowed here: see jostle "
                                 "topology",
                                 wanted, first);
}

/* A line on stderr where copies would be on cores of unlike speed: the slowest one is the last to
 * end, however many there are. */
static void warn_of_kinds(const struct machine *machine, const char *allowed)
{
    struct core_kinds *kinds = machine->this_system ? core_kinds_read() : NULL;
    struct cpu_list cpus;
    if (kinds != NULL && cpus_parse(allowed, &cpus) == 0 && core_kinds_among(kinds, &cpus) > 1)
        complain("the copies' CPUs %s are of several kinds of cores, of unlike speed: jostle "
                 "topology shows them; give CPUs of one kind with --target-cpus",
                 allowed);
    free(kinds);
}

bool seats_choose(struct pack_seats *seats, const struct request *request, bool *usage)
{
    struct machine machine;
    *seats = (struct pack_seats){0};
    if (!machine_open(&machine, request->synthetic, request->target_cpus, usage))
        return false;
    *usage = !are_allowed(&machine, request->target_cpus);
    if (*usage) {
        machine_close(&machine);
        return false;
    }
    seats->cpus = (size_t)hwloc_bitmap_weight(machine.allowed);
    seats->quota_cpus = machine.quota_cpus;
    seats->allowed = must(machine_format(machine.allowed));
    warn_of_kinds(&machine, seats->allowed);
    const double usable = fmin((double)seats->cpus, fmax(floor(machine.quota_cpus), 1));
    seats->room = (size_t)(usable / (double)request->cpus_per_copy);
    *usage = seats->room == 0;
    if (seats->room == 0) {
        complain("--cpus-per-copy %ju: there are only %g CPUs: give no more",
                 (uintmax_t)request->cpus_per_copy, usable);
    } else if (request->place != PACK_ANYWHERE) {
        place(seats, &machine, request);
    } else if (request->target_cpus != NULL) {
        seats->list = must(calloc(1, sizeof *seats->list));
        seats->list[seats->count++] = must(strdup(seats->allowed));
    }
    machine_close(&machine);
    return seats->room > 0;
}

void pack_seats_free(struct pack_seats *seats)
{
    for (size_t i = 0; i < seats->count; i++)
        free(seats->list[i]);
    free(seats->list);
    free(seats->allowed);
}
