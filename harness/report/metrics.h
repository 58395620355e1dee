#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "numbers.h"

#include "common/json.h"

/* What is measured of a run: its name in records, its column, its unit, and what
 * it means. Everything else that shows a metric takes it from here. */
struct metric {
    const char *name, *title, *unit;
    const char *words;      /* where it is named by itself */
    const char *table_unit; /* in tables of means and variances */
    double table_factor;    /* from unit to table_unit */
    scale_for *scale;
    const char *meaning;
};

enum { METRIC_WALL, METRIC_USER, METRIC_SYSTEM, METRIC_MEMORY, METRIC_COUNT };
extern const struct metric metrics[METRIC_COUNT];

/* The table as a member "metrics". */
void metrics_put(struct line *json);

#endif
