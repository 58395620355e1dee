// Several sessions of one experiment: does the interval over them hold what one
// session's cannot promise?
#ifndef SIMULATE_SESSIONS_H
#define SIMULATE_SESSIONS_H

#include "plan.h"

// Prints the table. False where a bound of --quick is broken, or memory ran out.
bool sessions_table(const struct plan *plan);

#endif
