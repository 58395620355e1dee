// Profiles, predictions and their intervals on the machine made of equations, where the truth is
// known.
#ifndef SIMULATE_MACHINE_TABLE_H
#define SIMULATE_MACHINE_TABLE_H

#include "plan.h"

// Prints the tables. False where a bound of --quick is broken, or memory ran out.
bool machine_table(const struct plan *plan);

#endif
