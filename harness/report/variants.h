#ifndef REPORT_VARIANTS_H
#define REPORT_VARIANTS_H

#include "experiment.h"

#include "common/json.h"

/* What an experiment says of its variants, as texts. A member "variants", null where it
 * compares none:
 *
 *   title    of the experiment, where it is one of several
 *   tables   for each metric {columns, rows}: a row for each variant, alone and under each load
 *   changes  {columns, rows}: whether a load changes a variant's ratio to the reference
 *   lines    a sentence for each variant and metric
 *   charts   for the page: the ratios of each metric, [{metric, limit, points}]
 */
void variants_put(struct line *json, const struct experiment *experiment, bool page);

/* "3.8 % [3.0, 4.5] faster" of a ratio, where a metric is no time "1.6 % [1.0, 2.1] higher". To
 * be freed; NULL: the ratio is not known. */
char *variants_change(const struct value *ratio, const struct metric *metric);

/* A member "capacity": {title, columns, rows, lines}, a row for each condition, as texts; null of
 * an experiment that looked for none. */
void capacity_put(struct line *json, const struct experiment *experiment);

/* A member "protection": {title, columns, rows, lines}, a row for each load and setting, as texts;
 * null where there are none. */
void protection_put(struct line *json, const struct experiment *experiment);

#endif
