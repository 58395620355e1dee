// The machine as hwloc knows it, which of its CPUs may be used here, and how far a load sits from
// its target.
#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H

#include <hwloc.h>
#include <stdbool.h>

struct machine {
    hwloc_topology_t topology;
    bool this_system;        // not a synthetic machine, nor another's XML
    hwloc_bitmap_t complete; // all CPUs that are there
    hwloc_bitmap_t cpuset;   // those that the cgroup's cpuset leaves
    hwloc_bitmap_t affinity; // those that this process's affinity leaves
    hwloc_bitmap_t allowed;  // those that all of that leaves
    double quota_cpus;       // of the cgroup; INFINITY: none
};

// synthetic: hwloc's description of a machine, or NULL; allowed: a list of CPUs
// that narrows what is allowed, or NULL. False after a message on stderr, in
// which case nothing has to be closed; *usage says whether the options are to blame.
bool machine_open(struct machine *machine, const char *synthetic, const char *allowed, bool *usage);
void machine_close(struct machine *machine);

// "0-3,8", which its option has checked, as a new bitmap.
hwloc_bitmap_t machine_parse(const char *text);
// The list as text, to be freed.
char *machine_format(hwloc_const_bitmap_t cpus);

enum place { PLACE_CORE, PLACE_SMT, PLACE_L3, PLACE_NODE, PLACE_OTHER_NODE, PLACE_MACHINE, PLACES };

struct placement {
    hwloc_bitmap_t target, load;
    bool offers[PLACES]; // what the allowed CPUs have, one core for each
};

extern const char *const place_names[]; // ended by NULL
// One line that defines the word.
const char *place_meaning(enum place place);
// "core, l3, machine" into text; returns text.
const char *place_list(const bool offers[PLACES], char *text, size_t size);

// Makes the bitmaps, empty, and finds what is on offer.
void placement_open(struct placement *placement, const struct machine *machine);
void placement_close(struct placement *placement);
// Chooses CPUs: `targets` cores for the target, `loads` for the load. False
// after a message on stderr that says what the machine lacks and has.
bool placement_choose(struct placement *placement, const struct machine *machine, enum place place,
                      unsigned targets, unsigned loads);

#endif
