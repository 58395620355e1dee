#ifndef PLACEMENT_DRAW_H
#define PLACEMENT_DRAW_H

#include "place.h"

#include <stdio.h>

/* The machine as lstopo's text form shows it, a line a core (alike ones that
 * nobody uses together), with T and L where target and load sit. */
void draw_machine(FILE *file, const struct machine *machine, const struct placement *placement);

#endif
