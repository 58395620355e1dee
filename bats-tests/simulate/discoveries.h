// Many slowdowns at once: how many of those that look distinguishable are chance?
#ifndef SIMULATE_DISCOVERIES_H
#define SIMULATE_DISCOVERIES_H

#include "plan.h"

// Prints the table. False where a bound of --quick is broken, or memory ran out.
bool discoveries_table(const struct plan *plan);

#endif
