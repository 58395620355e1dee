#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include "experiment.h"
#include "metrics.h"

#include "common/json.h"

/* A cell as texts, each number with its unit: what the formats for people lay
 * out. A line of JSON, to be freed; chart: the drawing of its runs, or NULL. */
char *row_of_cell(const struct cell *cell, const char *chart);

/* Also for the table of one experiment. */

/* "697 ± 5 ms" (figure.h). */
const char *row_figure(const struct value *condition, unsigned metric, char *text);
/* Whether a metric other than the wall time is one of --metric. */
bool row_has_metric(const struct experiment *experiment, unsigned metric);
/* Members "metric", "alone", "loaded" and "ratio" of its row; condition NULL: the
 * baseline alone. */
void row_metric(struct line *json, const struct experiment *experiment, unsigned metric,
                const char *condition);
double metric_mean(const struct value *condition, unsigned metric);
/* "1.37 [1.35, 1.39] †", "(noise)" where it is not distinguishable; the mark where it
 * survives in the family (family_survives). */
const char *row_slowdown(const struct value *slowdown, const struct family *family, char *text);
/* "471 of 473 MB/s (short)"; "12 ms CPU" for a load without a rate. */
const char *row_achieved(const struct value *load, bool is_short, char *text);
/* What the star says; NULL: no star. To be freed. */
char *row_star(const struct value *condition, const char *who);
/* "problems" and "notes": [{flag, condition, text}]. */
void row_warnings(struct line *json, const struct warning *warnings, size_t count);

#endif
