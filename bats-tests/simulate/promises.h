// The promises other than the interval of one figure: comparing two results, the
// noise floor of --aa, several metrics at once, the gate, metrics of which more is better.
#ifndef SIMULATE_PROMISES_H
#define SIMULATE_PROMISES_H

#include "plan.h"

// Whether a list of tables names one of them.
bool promises_has(const char *list);

// Simulates and prints those of the plan. Returns the exit code: 1 if memory or
// threads ran out or, in the short form, a bound is broken.
int promises_run(const struct plan *plan);

#endif
