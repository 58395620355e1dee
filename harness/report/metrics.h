#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include "view.h"

#include "common/json.h"

#include <stdbool.h>
#include <stddef.h>

/* What is measured of a run: its name in records, its column, its unit, and what
 * it means. Everything else that shows a metric takes it from here. */
struct metric {
    const char *name, *title, *unit;
    const char *words;      /* where it is named by itself */
    const char *table_unit; /* in tables of means and variances */
    double table_factor;    /* from unit to table_unit */
    const char *meaning;    /* NULL: of a metric that only some experiments have */
    bool higher;            /* is better */
    bool chosen;            /* by --metric */
};

/* Those that each run has, at these places of each list. */
enum { METRIC_WALL, METRIC_USER, METRIC_SYSTEM, METRIC_MEMORY, METRIC_COUNT };
extern const struct metric metrics[METRIC_COUNT];

/* The metrics of one experiment: those above, then the other ones of --metric in their
 * order. */
struct metric_list {
    struct metric *item;
    size_t count;
    size_t main; /* whose figures and ratios the main columns show: the wall time; where
                  * --metric leaves it out, the first of those that decide but for the ones above */
};

/* From a result and its settings; both may be NULL. */
struct metric_list metric_list(const struct value *result, const struct value *settings);
void metric_list_free(struct metric_list *list);
/* The place of a name; list->count: it has none. */
size_t metric_named(const struct metric_list *list, const struct value *name);

/* A condition's figure of a metric; NULL: there is none. */
const struct value *metric_figure(const struct value *condition, const struct metric *metric);

/* The table as a member "metrics". */
void metrics_put(struct line *json);

#endif
