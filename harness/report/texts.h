// What records say as texts for people: tables, sentences, lines below them.
#ifndef REPORT_TEXTS_H
#define REPORT_TEXTS_H

#include "experiment.h"

#include "common/units.h"
#include "harness/record/objective.h"
#include "harness/stats/effect.h"

// Room for a number as text, until the end of the block that it is in.
#define ROOM ((char[NUMBER_SIZE]){0})

// ---- legend.c

// What the figures of a table are: which statistic, at which level.

struct legend {
    double level;             // of each interval, as 0.95; NAN: not the same in all of them
    double family;            // the level at which all of its family hold at once
    unsigned intervals;       // of a family; 1: each holds by itself
    const char *members;      // what they are of, "metrics"
    unsigned fewest, most;    // sessions that a figure is over; 0: it is of one alone
    enum statistic statistic; // STATISTICS: not the same in all of them
    double unseen;            // what this share of runs does, none of a condition's may show
    double runs;              // of the condition with the fewest; 0: not known
    char main[64];            // the metric of the main columns, in words
    bool mixed;               // it is not the same in all of them
    bool timed;               // it is the wall time: its ratios are slowdowns
    bool higher;              // there are ratios of a metric that is better when it is higher
};

// Of one experiment.
struct legend legend_of(const struct experiment *experiment);
// Of both.
struct legend legend_join(struct legend a, struct legend b);

// "95 %"; "confidence" where levels differ.
const char *legend_level(struct arena *texts, const struct legend *legend);
// "mean ± 95 %", "median [95 %]".
const char *legend_figure(struct arena *texts, const struct legend *legend);
// What is said below the tables: "± and [ ] are 98.75 % confidence intervals (95 %
// for the 4 metrics together)".
const char *legend_key(struct arena *texts, const struct legend *legend);
// What intervals cover: "for repetitions in the same session: ...".
const char *legend_scope(struct arena *texts, const struct legend *legend);
// "median"; NULL: slowdowns are the typical ones, or ratios of means, or not all of the same
// statistic.
const char *legend_statistic(const struct legend *legend);
// "15 runs may not show what happens in 1 of 6 (95 %)"; NULL: not known.
const char *legend_unseen(struct arena *texts, const struct legend *legend);

// ---- row.c

// Texts of one condition: what rows of cells, conditions and variants are made of.

// "697 ± 5 ms", "697 [691, 706] ms".
const char *row_figure(const struct value *condition, const struct quantity *metric, char *text);
// Whether a metric has a row of its own: one of --metric whose figures are not in the main
// columns.
bool row_has_metric(const struct experiment *experiment, size_t metric);
// "mem 50 %": a cell's load with its level; "-": none.
const char *row_load(const struct cell *cell);
// "471 of 473 MB/s (short)"; "12 ms CPU" for a load without a rate.
const char *row_achieved(struct arena *texts, const struct value *load, bool is_short);
// "WHO: WORDS" in an open array; nothing where one of them is NULL.
void row_say(struct line *json, const char *who, const char *words);
// What others on the machine cost, and what would be steadier.
void others_say(struct line *json, const char *who, const struct value *others);
// What each of a condition's loads achieved: "1.0 of 1.0 CPUs + 12 ms CPU".
const char *row_loads(struct arena *texts, const struct value *condition);
// What rates a condition's loads were to have, "500 MB/s + 1.00 CPUs"; with_short: of a short one
// what it achieved of that. NULL: none is known.
const char *row_rate(struct arena *texts, const struct value *condition, bool with_short);
// Where the extra time of the cell went, and in words without the condition's name. NULL: not
// known.
const struct value *row_attribution(const struct cell *cell);
const char *row_attribution_words(const struct cell *cell);
// What the star says; NULL: no star.
const char *row_star(struct arena *texts, const struct value *condition, const char *who);
// "problems" and "notes", [{flag, condition, text}], of what warning_is_of says.
void row_warnings(struct line *json, const struct experiment *experiment, const char *condition,
                  const char *other, bool general);

// A metric of one condition, as result.json has it, for people. NULL: not known.

// The value of its statistic: of the one that its interval is about.
double figure_center(const struct value *figure);

// Lower or upper bound of a member "ci"; NAN: there is none.
double figure_bound(const struct value *figure, bool high);

struct estimate {
    double center, low, high; // NAN: not known
};

// A member, and the bounds of the member "ci". ("ratio" is how many times worse.)
struct estimate estimate_of(const struct value *figure, const char *member);

// A ratio of result.json (of slowdowns, comparisons or interactions) as text, which has room for
// NUMBER_SIZE. NULL, or one that is not known: "-".

// In the metric's own direction: what is better when it is higher is turned round.
struct estimate ratio_of_alone(const struct value *slowdown, const struct quantity *metric);

// What a ratio says: its judgement, or, of a record that is older than those, what it has of one.
enum effect ratio_effect(const struct value *ratio);

// A member: whether an effect is seen; null where that cannot be known.
void effect_put(struct line *json, const char *name, const struct value *ratio);

// "1.37 [1.35, 1.39]", with "(no effect)" or "(unclear)" behind it where the judgement says so.
const char *ratio_remarked(const struct value *slowdown, char *text);
// The same without the remark.
const char *ratio_text(const struct value *slowdown, char *text);
// The plain quotient, "0.74 [0.72, 0.76]", of a metric that is better when it is higher,
// whose ratio is the other way round; "-" for others.
const char *ratio_plain(const struct value *slowdown, const struct quantity *metric, char *text);
// Members ratio, low, high, sure and times of a ratio; bounds that are not known are the ratio.
void ratio_put_point(struct line *json, const struct value *slowdown, bool sure);
// "rps 0.739 [0.731, 0.744] of alone", of a metric of --metric that is better when it is higher;
// NULL: of another, or not known.
const char *ratio_direction(const struct experiment *experiment, const struct value *slowdown);

// "29.0 [27.0, 31.0] k/s", or a bound where the objective is kept nowhere, or everywhere; entry:
// of by_condition.
const char *capacity_value(const struct experiment *of, const struct value *entry);

// Lines on the service that the target is a client of, as texts of the open array: which it is,
// and its CPU time, memory, starts and deaths in each condition. Nothing without one.
// who: begins each of them, where there are several experiments; NULL: nothing does.
void service_put_lines(struct line *json, const struct experiment *experiment, const char *who);

// ---- columns.c

// The tables for people: columns are data, and a row has a text for each column.

enum table {
    TABLE_CELLS,
    TABLE_CELL_METRICS, // those other than the main one
    TABLE_CONDITIONS,   // of one experiment
    TABLE_CONDITION_METRICS,
    TABLE_VARIANTS, // of one metric
    TABLE_CHANGES,  // whether loads change the ratios of variants
    TABLE_CAPACITY,
    TABLE_PROTECTION,
    TABLES
};

// What a row is of; what its table does not ask for is NULL.
struct row {
    const struct experiment *of;
    const struct quantity *metric;
    const struct cell *cell;
    const char *name;                         // of the condition
    const char *key;                          // of the column
    const struct value *baseline, *condition; // condition NULL: there is only the baseline
    const struct value *slowdown;             // of the condition and metric
    const struct value *entry;          // a comparison, an interaction, a capacity, or a protection
    const struct value *variant, *load; // their names
    bool is_reference; // of the variants; of protections: the load without settings
};

// A row in an open array, which stays open: {texts: {key: text}, distinguishable}, the latter of
// the ratio that it is about.
void columns_put_row(struct line *json, enum table table, const struct row *row,
                     const struct value *ratio);

// Member "columns": {"cells": [{key, title, left, rank}], ..}, the columns of the
// tables of cells and of one experiment's conditions, and those of their metrics
// other than the main one. rank: which are left out first where it is narrow, the highest
// first; 0: never.
void columns_put_all(struct line *json, struct arena *texts, const struct legend *legend);

// Member "columns" of one table; metric: of all its figures, or NULL; reference: what its ratios
// are to, or NULL.
void columns_put(struct line *json, struct arena *texts, enum table table,
                 const struct legend *legend, const char *reference, const struct quantity *metric);

// ---- finding.c

// Sentences of what the experiment has found, added to an open array: of each metric that decides
// beside each load, the main one first, and then the largest effect; or of the main metric of a
// target that was measured alone.
void finding_put_slowdowns(struct line *json, const struct experiment *experiment);
void finding_put_alone(struct line *json, const struct experiment *experiment);

// "1.37 times as long (1.35 to 1.39, 95 % sure)" within a sentence; sure NAN: it is not said.
const char *times_as(struct arena *texts, const struct estimate *ratio, const char *what,
                     double sure);

// ---- answer.c

// What an experiment has found, in sentences: a list of texts named `name`, the largest effect
// first. Of variants those of the comparisons that decide.
void answer_put(struct line *json, const char *name, const struct experiment *experiment);

// Members "next", the command line that looks closer at the load with the largest effect, where
// there were several, or at the best setting, and "protect", the one that finds a setting against
// the load which slows most; null where there is none.
void answer_put_next(struct line *json, const struct experiment *experiment);

// ---- protection.c

// Settings that protect a target, of `protection` in result.json: what each leaves of the slowdown,
// and what the neighbour still achieves.

// What the row of an entry has in its columns.
const char *protection_setting(const struct row *row);
const char *protection_where(const struct row *row);
const char *protection_front(const struct row *row);
// A share of 1 in percent with its interval; "-" where it is not known.
const char *protection_share(struct arena *texts, const struct value *figure);
// A ratio with its interval.
const char *protection_ratio(struct arena *texts, const struct value *figure);

// ---- variants.c

// What an experiment says of its variants, as texts. A member "variants", null where it
// compares none:
//
//   title    of the experiment, where it is one of several
//   tables   for each metric {columns, rows}: a row for each variant, alone and under each load
//   changes  {columns, rows}: whether a load changes a variant's ratio to the reference
//   lines    a sentence for each variant and metric
//   charts   for the page: the ratios of each metric, [{metric, limit, points}]
void variants_put(struct line *json, const struct experiment *experiment, bool page);

// A member "capacity": {title, columns, rows, lines}, a row for each condition, as texts; null of
// an experiment that looked for none.
void capacity_put(struct line *json, const struct experiment *experiment);

// A member "protection": {title, columns, rows, lines}, a row for each load and setting, as texts;
// null where there are none.
void protection_put(struct line *json, const struct experiment *experiment);

// ---- checks (variants.c)

// What a gate, or somebody who reads a pull request, wants to know of a cell, as texts. A member
// "checks", one for each ratio of each metric of --metric:
//
//   {what, metric, reference, figure, ratio, change, gate, why, verdict, message, undecided,
//   time_s}
//
// gate: the answer to --at-most, "below", "above" or "undecided"; null where this ratio was not
// judged. undecided: what would decide it; else null. why: the problems that leave it undecided,
// "load-short"; else null. verdict: of a comparison of variants; else null. change: "3.8 %
// [3.0, 4.5] slower". reference and ratio are null of a measurement that compares nothing, and of a
// capacity. time_s: of all runs. first: of the cells of its experiment, which has the comparisons
// of variants.
void checks_put(struct line *json, const struct cell *cell, bool first);

#endif
