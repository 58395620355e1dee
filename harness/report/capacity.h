#ifndef REPORT_CAPACITY_H
#define REPORT_CAPACITY_H

#include "experiment.h"

#include "common/numbers.h"

/* Whether the experiment looked for capacities: its runs are at different rates, and no mean or
 * ratio is of them. */
bool capacity_searched(const struct experiment *experiment);

/* "29.0 [27.0, 31.0] k/s", or a bound where the objective is kept nowhere, or everywhere; entry:
 * of by_condition. text has room for NUMBER_SIZE. */
const char *capacity_value(const struct value *capacity, const struct value *entry, char *text);

#endif
