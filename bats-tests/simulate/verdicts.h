// Verdicts: how often variants are called faster, slower or the same, and how often wrongly;
// whether a load changes a comparison; and what looking often costs.
#ifndef SIMULATE_VERDICTS_H
#define SIMULATE_VERDICTS_H

#include "plan.h"

// Each simulates and prints its table. False if memory or threads ran out or, in the short
// form, a bound is broken.
bool verdicts_table(const struct plan *plan);
bool interactions_table(const struct plan *plan);
bool looks_table(const struct plan *plan);

#endif
