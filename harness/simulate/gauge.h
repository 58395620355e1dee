// Adjusting for the gauge (harness/stats/covariate.h): does the interval still hold, and what
// does it save?
#ifndef SIMULATE_GAUGE_H
#define SIMULATE_GAUGE_H

#include "plan.h"

// Prints the table. False if the machine failed, or with --quick a bound is broken.
bool gauge_table(const struct plan *plan);

#endif
