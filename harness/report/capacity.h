#ifndef REPORT_CAPACITY_H
#define REPORT_CAPACITY_H

#include "experiment.h"

#include "common/json.h"

/* A member "capacity": {title, columns, rows, lines}, a row for each condition, as texts; null of
 * an experiment that looked for none. */
void capacity_put(struct line *json, const struct experiment *experiment);

#endif
