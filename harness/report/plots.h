#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include "experiment.h"

/* What the page draws of a cell, as JSON to be freed:
 *   {condition, reference, under, offered, achieved, unit,
 *    metrics: [{metric, unit, timed, main, ratio, low, high, sure, times, alone, loaded}],
 *    runs: {CONDITION: {order, flagged, unused, values: {METRIC: [...]}}}}
 * condition: as the page calls it; reference, under: which of the runs are those without and with
 * load; alone, loaded: {min, median, max}; times: the ratio in words; flagged, unused: places in
 * order. runs are those of the whole experiment: of its first cell, else null. There are no
 * metrics of a search for capacities. */
char *cell_plots(const struct cell *cell, bool first);

/* Members ratio, low, high, sure and times of a ratio; bounds that are not known are the ratio. */
void plots_put_ratio(struct line *json, double ratio, double low, double high, bool sure);

#endif
