#include "place.h"

#include "common/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning, *lack;
} places[PLACES] = {
    [PLACE_CORE] = {"core", "the same hardware thread: target and load take turns on it", "core"},
    [PLACE_SMT] = {"smt", "sibling threads: one hardware thread of a core each", "sibling threads"},
    [PLACE_L3] = {"l3", "another core of the same NUMA node under the same L3 cache",
                  "two cores under one L3 cache"},
    [PLACE_NODE] = {"node", "another core of the same NUMA node that shares no L3 cache",
                    "two cores of one NUMA node without a common L3 cache"},
    [PLACE_OTHER_NODE] = {"other-node", "a core of another NUMA node",
                          "second NUMA node with CPUs"},
    [PLACE_MACHINE] = {"machine", "no pinning: both anywhere that is allowed", "CPU"},
};

const char *place_name(enum place place)
{
    return places[place].name;
}

const char *place_meaning(enum place place)
{
    return places[place].meaning;
}

bool place_parse(const char *text, enum place *place)
{
    for (unsigned i = 0; i < PLACES; i++) {
        if (strcmp(places[i].name, text) == 0) {
            *place = (enum place)i;
            return true;
        }
    }
    return false;
}

const char *place_list(const bool offers[PLACES], char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < PLACES && used < size; i++)
        if (offers[i])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ",
                                     places[i].name);
    return text;
}

/* Memory of a kind of its own (HBM) makes several nodes local to a core. */
static bool one_node(const struct seat *a, const struct seat *b)
{
    return hwloc_bitmap_intersects(a->thread->nodeset, b->thread->nodeset);
}

static bool one_l3(const struct seat *a, const struct seat *b)
{
    return a->l3 != NULL && a->l3 == b->l3;
}

/* Whether a target that begins at `first` may have `seat`, too. Its own caches
 * are to be one distance away from the load, hence it stays under one L3 where
 * that is what the distance is about. */
static bool suits_target(enum place place, const struct seat *first, const struct seat *seat)
{
    const bool by_l3 = place == PLACE_L3 || place == PLACE_NODE;
    return one_node(first, seat) && (!by_l3 || first->l3 == seat->l3) &&
           (place != PLACE_SMT || !hwloc_bitmap_iszero(seat->others));
}

static bool suits_load(enum place place, const struct seat *target, const struct seat *seat)
{
    switch (place) {
    case PLACE_L3:
        return one_l3(target, seat) && one_node(target, seat);
    case PLACE_NODE:
        return one_node(target, seat) && !one_l3(target, seat);
    case PLACE_OTHER_NODE:
        return !one_node(target, seat);
    default:
        return false;
    }
}

/* The target's cores from `first` on. False: too few. */
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

/* The load's cores, from `first` on; all in one node. False: too few. */
static bool take_load(const struct seats *seats, enum place place, const struct seat *anchor,
                      unsigned first, unsigned count, hwloc_const_bitmap_t target,
                      hwloc_bitmap_t load)
{
    hwloc_bitmap_zero(load);
    for (unsigned i = first; i < seats->count && count > 0; i++) {
        const struct seat *seat = &seats->seat[i];
        if (!suits_load(place, anchor, seat) || hwloc_bitmap_isset(target, seat->cpu) ||
            !one_node(&seats->seat[first], seat))
            continue;
        hwloc_bitmap_set(load, seat->cpu);
        count--;
    }
    return count == 0;
}

/* Siblings of the target's threads, the first of each core before the second. */
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

static bool find_load(const struct seats *seats, enum place place, unsigned anchor, unsigned count,
                      hwloc_const_bitmap_t target, hwloc_bitmap_t load)
{
    if (place == PLACE_CORE)
        return hwloc_bitmap_copy(load, target) == 0;
    if (place == PLACE_SMT)
        return take_siblings(seats, count, target, load);
    const struct seat *tried = NULL; /* from a later core of the same node there are fewer */
    for (unsigned first = 0; first < seats->count; first++) {
        const struct seat *seat = &seats->seat[first];
        if (!suits_load(place, &seats->seat[anchor], seat) ||
            (tried != NULL && one_node(tried, seat)))
            continue;
        if (take_load(seats, place, &seats->seat[anchor], first, count, target, load))
            return true;
        tried = seat;
    }
    return false;
}

static bool find(const struct seats *seats, enum place place, unsigned targets, unsigned loads,
                 struct placement *placement)
{
    const struct seat *tried = NULL; /* from a later core of the same group there are fewer */
    for (unsigned anchor = 0; anchor < seats->count; anchor++) {
        const struct seat *seat = &seats->seat[anchor];
        if (!suits_target(place, seat, seat) || (tried != NULL && suits_target(place, tried, seat)))
            continue;
        if (take_target(seats, place, anchor, targets, placement->target) &&
            find_load(seats, place, anchor, loads, placement->target, placement->load))
            return true;
        tried = seat;
    }
    return false;
}

/* What there is among the CPUs `usable`, with one core for each. */
static bool find_offers(const struct machine *machine, hwloc_const_bitmap_t usable,
                        bool offers[PLACES])
{
    struct placement scratch = {.target = hwloc_bitmap_alloc(), .load = hwloc_bitmap_alloc()};
    struct seats seats = {0};
    const bool ready =
        scratch.target != NULL && scratch.load != NULL && seats_find(machine, usable, &seats);
    for (unsigned i = 0; ready && i < PLACES; i++)
        offers[i] = i == PLACE_MACHINE || find(&seats, (enum place)i, 1, 1, &scratch);
    seats_free(&seats);
    placement_close(&scratch);
    return ready;
}

bool placement_open(struct placement *placement, const struct machine *machine)
{
    *placement = (struct placement){.target = hwloc_bitmap_alloc(), .load = hwloc_bitmap_alloc()};
    if (placement->target != NULL && placement->load != NULL &&
        find_offers(machine, machine->allowed, placement->offers))
        return true;
    placement_close(placement);
    return false;
}

void placement_close(struct placement *placement)
{
    hwloc_bitmap_free(placement->target);
    hwloc_bitmap_free(placement->load);
    placement->target = placement->load = NULL;
}

/* Why there is no such place. */
static void refuse(const struct placement *placement, const struct machine *machine,
                   enum place place, unsigned targets, unsigned loads)
{
    bool whole[PLACES] = {false};
    char has[128];
    char *allowed = machine_format(machine->allowed);
    place_list(placement->offers, has, sizeof has);
    if (placement->offers[place])
        complain("--place %s: no room for %u cores of the target and %u of the load there: give "
                 "fewer with --place-cpus",
                 places[place].name, targets, loads);
    else if (find_offers(machine, machine->complete, whole) && whole[place])
        complain("--place %s: the CPUs allowed here (%s) have no %s: they have %s",
                 places[place].name, allowed == NULL ? "?" : allowed, places[place].lack, has);
    else
        complain("--place %s: this machine has no %s: it has %s", places[place].name,
                 places[place].lack, has);
    free(allowed);
}

bool placement_choose(struct placement *placement, const struct machine *machine, enum place place,
                      unsigned targets, unsigned loads)
{
    struct seats seats;
    bool found = true;
    if (place == PLACE_MACHINE) {
        return hwloc_bitmap_copy(placement->target, machine->allowed) == 0 &&
               hwloc_bitmap_copy(placement->load, machine->allowed) == 0;
    }
    if (!seats_find(machine, machine->allowed, &seats)) {
        seats_free(&seats);
        return false;
    }
    found = find(&seats, place, targets, loads, placement);
    seats_free(&seats);
    if (!found)
        refuse(placement, machine, place, targets, loads);
    return found;
}
