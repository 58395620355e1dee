#ifndef PLACEMENT_PLACE_H
#define PLACEMENT_PLACE_H

/* How far a load sits from its target. */

#include "machine.h"

enum place { PLACE_CORE, PLACE_SMT, PLACE_L3, PLACE_NODE, PLACE_OTHER_NODE, PLACE_MACHINE, PLACES };

struct placement {
    hwloc_bitmap_t target, load;
    bool offers[PLACES]; /* what the allowed CPUs have, one core for each */
};

const char *place_name(enum place place);
/* One line that defines the word. */
const char *place_meaning(enum place place);
/* False when there is no such word. */
bool place_parse(const char *text, enum place *place);
/* "core, l3, machine" into text; returns text. */
const char *place_list(const bool offers[PLACES], char *text, size_t size);

/* Makes the bitmaps, empty, and finds what is on offer. False: out of memory. */
bool placement_open(struct placement *placement, const struct machine *machine);
void placement_close(struct placement *placement);
/* Chooses CPUs: `targets` cores for the target, `loads` for the load. False
 * after a message on stderr that says what the machine lacks and has. */
bool placement_choose(struct placement *placement, const struct machine *machine, enum place place,
                      unsigned targets, unsigned loads);

#endif
