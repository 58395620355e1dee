#ifndef REPORT_ROW_H
#define REPORT_ROW_H

#include "experiment.h"
#include "metrics.h"
#include "view.h"

#include "common/json.h"
#include "common/numbers.h"

/* Texts of one condition: what rows of cells, conditions and variants are made of. */

/* "697 ± 5 ms", "697 [691, 706] ms". */
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

/* A metric of one condition, as result.json has it, for people. NULL: not known. */

/* The value of its statistic: of the one that its interval is about. */
double figure_center(const struct value *figure);

/* "697 ± 5 ms" for a mean whose interval has two equal sides, "697 [691, 706] ms" for others and
 * for quantiles, and "2.00 MiB (constant)" where all runs are alike. With a star for the mean
 * without outliers of older results. text has room for NUMBER_SIZE. */
const char *figure_text(const struct value *figure, const char *unit, char *text);

/* What the star means, to be freed; NULL: there is none. */
char *figure_star(const struct value *figure, const char *unit, const char *who);

/* Lower or upper bound of a member "ci"; NAN: there is none. */
double figure_bound(const struct value *figure, bool high);

/* A ratio of result.json (of slowdowns, comparisons or interactions) as text, which has room for
 * NUMBER_SIZE. NULL, or one that is not known: "-". */

/* Whether the interval of a slowdown has 1 outside of it. */
bool ratio_excludes_one(const struct value *slowdown);

/* "1.37 [1.35, 1.39] †", "(noise)" where it is not distinguishable, "(too few runs)" where
   its interval looks as if it were; the mark where it
 * survives in the family (family_survives). */
const char *ratio_remarked(const struct value *slowdown, const struct family *family, char *text);
/* The same without the remark. */
const char *ratio_text(const struct value *slowdown, const struct family *family, char *text);
/* The plain quotient, "0.74 [0.72, 0.76]", of a metric that is better when it is higher,
 * whose ratio is the other way round; "-" for others. */
const char *ratio_plain(const struct value *slowdown, const struct metric *metric, char *text);
/* "rps 0.739 [0.731, 0.744] of alone", of a metric of --metric that is better when it is higher;
 * NULL: of another, or not known. To be freed. */
char *ratio_direction(const struct experiment *experiment, const struct value *slowdown);

/* Whether the experiment looked for capacities: its runs are at different rates, and no mean or
 * ratio is of them. */
bool capacity_searched(const struct experiment *experiment);

/* "29.0 [27.0, 31.0] k/s", or a bound where the objective is kept nowhere, or everywhere; entry:
 * of by_condition. text has room for NUMBER_SIZE. */
const char *capacity_value(const struct value *capacity, const struct value *entry, char *text);

/* Lines on the service that the target is a client of, as texts of the open array: which it is,
 * and its CPU time, memory, starts and deaths in each condition. Nothing without one.
 * who: begins each of them, where there are several experiments; NULL: nothing does. */
void service_put_lines(struct line *json, const struct experiment *experiment, const char *who);

#endif
