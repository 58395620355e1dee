// The machine's factor (harness/stats/explain.h): readings and runs that follow them, or do not,
// while both wander.
#ifndef SIMULATE_FACTOR_H
#define SIMULATE_FACTOR_H

#include "plan.h"

// Simulates and prints the table. False if memory ran out or, in the short form, a bound is
// broken.
bool factor_table(const struct plan *plan);

#endif
