#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include "experiment.h"
#include "metrics.h"

#include "common/json.h"

/* Texts of one condition: what rows of cells, conditions and variants are made of. */

/* "697 ± 5 ms", "697 [691, 706] ms" (figure.h). */
const char *row_figure(const struct value *condition, const struct metric *metric, char *text);
/* Whether a metric has a row of its own: one of --metric whose figures are not in the main
 * columns. */
bool row_has_metric(const struct experiment *experiment, size_t metric);
/* "mem 50 %": a cell's load with its level; "-": none. To be freed. */
char *row_load(const struct cell *cell);
/* "471 of 473 MB/s (short)"; "12 ms CPU" for a load without a rate. */
const char *row_achieved(const struct value *load, bool is_short, char *text);
/* What each of a condition's loads achieved: "1.0 of 1.0 CPUs + 12 ms CPU"; to be freed. */
char *row_loads(const struct value *condition);
/* What the star says; NULL: no star. To be freed. */
char *row_star(const struct value *condition, const char *who);
/* "problems" and "notes": [{flag, condition, text}]. */
void row_warnings(struct line *json, const struct warning *warnings, size_t count);
/* The same of one condition; condition NULL: of none in particular. */
void row_condition_warnings(struct line *json, const struct experiment *experiment,
                            const char *condition);

#endif
