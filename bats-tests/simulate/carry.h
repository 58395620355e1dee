// Carry-over: what becomes of the slowdown when a loaded run slows the unloaded run after
// it, with and without --washout.
#ifndef SIMULATE_CARRY_H
#define SIMULATE_CARRY_H

#include "plan.h"

// Simulates and prints the tables. False if memory or threads ran out or, in the short
// form, a bound is broken.
bool carry_table(const struct plan *plan);

#endif
