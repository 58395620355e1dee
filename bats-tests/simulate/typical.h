// The typical slowdown beside that of the means, with and without stragglers.
#ifndef SIMULATE_TYPICAL_H
#define SIMULATE_TYPICAL_H

#include "plan.h"

// Whether a list of populations names one that only this table has.
bool typical_has(const char *list);

// Simulates and prints it. False: memory or threads ran out or, in the short form, a bound is
// broken.
bool typical_table(const struct plan *plan);

#endif
