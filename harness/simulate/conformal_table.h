// Conformal intervals for programs that were not seen, on made-up residuals.
#ifndef SIMULATE_CONFORMAL_TABLE_H
#define SIMULATE_CONFORMAL_TABLE_H

#include "plan.h"

// Prints the table. False where a bound of --quick is broken, or memory ran out.
bool conformal_table(const struct plan *plan);

#endif
