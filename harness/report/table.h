#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "experiment.h"

#include "common/json.h"

/* Member "experiment": the table that ends a measurement, one condition a row,
 * and what is said above and below it. */
void table_put(struct line *json, const struct experiment *experiment);

#endif
