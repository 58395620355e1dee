// jostle capacity: how far off it is, how often its intervals hold, and how many runs it
// takes, on queues whose capacity is known.
#ifndef SIMULATE_CAPACITY_H
#define SIMULATE_CAPACITY_H

#include "plan.h"

// Whether one of its services has a name that the list of --populations wants.
bool capacity_has(const char *list);

// Simulates and prints the table. False if memory or threads ran out or, in the short form, a
// bound is broken.
bool capacity_table(const struct plan *plan);

#endif
