#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include "experiment.h"

/* The table that ends a measurement, one condition a row,
 * and what is said above and below it, as JSON, to be freed. */
char *table_of(const struct experiment *experiment);

#endif
