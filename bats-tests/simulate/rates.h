// Metrics of which more is better, such as a throughput: of work that takes a time t it
// is 1 / t, hence skewed to the other side.
#ifndef SIMULATE_RATES_H
#define SIMULATE_RATES_H

#include "plan.h"

// Simulates and prints the table. False if memory or threads ran out or, in the short
// form, a bound is broken.
bool rates_table(const struct plan *plan);

#endif
