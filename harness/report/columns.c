#include "columns.h"

#include "metrics.h"
#include "protection.h"
#include "row.h"
#include "view.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What comes for %s in a title. */
enum fill { FILL_FIGURE, FILL_LEVEL, FILL_MAIN, FILL_ALONE, FILL_RATIO, FILL_REFERENCE, FILLS };

/* A column of a table for people: adding one is a row below, and it appears in every format. */
struct column {
    const char *key, *title;
    enum fill fill;
    bool left;
    unsigned rank;
    /* What a row has there, to be freed. */
    char *(*text)(const struct row *row);
    const struct metric *metric; /* that it is of; NULL: that of the row */
};

static char *copy(const char *text)
{
    return must(strdup(text));
}

/* The name of a value; NULL: it has none. */
static char *name_text(const struct value *name)
{
    char *text = view_string(name), *plain = text == NULL ? NULL : visible(text);
    free(text);
    return plain;
}

static char *program_text(const struct row *row)
{
    return visible(row->cell->row);
}

static char *cell_load_text(const struct row *row)
{
    return row_load(row->cell);
}

static char *condition_text(const struct row *row)
{
    return visible(row->name);
}

static char *variant_text(const struct row *row)
{
    return name_text(row->variant);
}

static char *load_text(const struct row *row)
{
    char *name = name_text(row->load);
    return name == NULL ? copy("-") : name;
}

static char *metric_text(const struct row *row)
{
    return copy(row->metric->words);
}

static double runs_of(const struct value *condition, double otherwise)
{
    return view_number(view_get(condition, "runs"), otherwise);
}

static char *runs_text(const struct row *row)
{
    return text_of("%.0f", runs_of(row->condition, 0));
}

/* "10 + 12 / 3": those alone and under the load, over so many sessions. */
static char *cell_runs_text(const struct row *row)
{
    char loaded[32] = "", sessions[32] = "";
    if (row->condition != NULL)
        snprintf(loaded, sizeof loaded, " + %.0f", runs_of(row->condition, NAN));
    if (row->of->sessions > 0)
        snprintf(sessions, sizeof sessions, " / %u", row->of->sessions);
    return text_of("%.0f%s%s", runs_of(row->baseline, NAN), loaded, sessions);
}

/* Where capacities are searched no figure is of the runs of a condition. */
static char *figure_or_none(const struct row *row, const struct value *condition)
{
    char text[NUMBER_SIZE];
    const bool none = condition == NULL || (row->cell != NULL && capacity_searched(row->of));
    return copy(none ? "-" : row_figure(condition, row->metric, text));
}

static char *alone_text(const struct row *row)
{
    return figure_or_none(row, row->baseline);
}

static char *figure_text_of(const struct row *row)
{
    return figure_or_none(row, row->condition);
}

/* Where the figure is no mean. */
static char *mean_text(const struct row *row)
{
    const struct value *figure = metric_figure(row->condition, row->metric);
    char text[NUMBER_SIZE];
    return copy(view_equals(view_get(figure, "statistic"), "mean")
                    ? "-"
                    : number_scaled(view_real(figure, "mean"), row->metric->unit, text));
}

/* "1.71e-6 s²" */
static char *variance_text(const struct row *row)
{
    const struct value *figure = metric_figure(row->condition, row->metric);
    const char *unit = row->metric->unit;
    char number[NUMBER_SIZE];
    number_scientific(view_real(figure, "variance"), number);
    if (*unit == '\0')
        return copy(number);
    const bool compound = strpbrk(unit, "/ ") != NULL;
    return text_of("%s %s%s%s²", number, compound ? "(" : "", unit, compound ? ")" : "");
}

static char *center_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(number_scaled(figure_center(metric_figure(row->condition, row->metric)),
                              row->metric->unit, text));
}

static char *pair_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    const double alone = figure_center(metric_figure(row->baseline, row->metric)),
                 loaded = figure_center(metric_figure(row->condition, row->metric));
    return copy(capacity_searched(row->of) ? "-"
                                           : number_pair(alone, loaded, row->metric->unit, text));
}

static char *slowdown_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    if (row->slowdown == NULL && row->cell == NULL && row->condition == row->of->baseline)
        return copy("1");
    return copy(row->cell != NULL && capacity_searched(row->of)
                    ? "-"
                    : ratio_remarked(row->slowdown, row->of->family, text));
}

/* A variant without a load has no slowdown. */
static char *variant_slowdown_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(view_is(row->load, VIEW_STRING)
                    ? ratio_remarked(row->slowdown, row->of->family, text)
                    : "-");
}

static char *of_alone_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(row->cell != NULL && capacity_searched(row->of)
                    ? "-"
                    : ratio_plain(row->slowdown, row->metric, text));
}

static char *cell_achieved_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    const struct cell *cell = row->cell;
    return copy(cell->load_entry == NULL ? "-"
                                         : row_achieved(cell->load_entry, cell->is_short, text));
}

static char *achieved_text(const struct row *row)
{
    return row_loads(row->condition);
}

static char *reference_ratio_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(row->is_reference ? "1" : ratio_text(row->entry, row->of->family, text));
}

static char *verdict_text(const struct row *row)
{
    char *verdict = name_text(view_get(row->entry, "verdict"));
    return verdict != NULL ? verdict
                           : copy(row->is_reference && row->entry == NULL ? "reference" : "-");
}

/* The ratio of the variant that an interaction is of, alone or under its load. */
static char *ratio_under_text(const struct row *row, const struct value *load)
{
    char text[NUMBER_SIZE];
    const struct value *comparison =
        comparison_of(row->of, "comparisons", row->variant, load, row->metric->name);
    return copy(ratio_text(comparison, NULL, text));
}

static char *ratio_alone_text(const struct row *row)
{
    return ratio_under_text(row, NULL);
}

static char *ratio_loaded_text(const struct row *row)
{
    return ratio_under_text(row, row->load);
}

static char *change_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(ratio_text(row->entry, row->of->family, text));
}

static char *answer_text(const struct row *row)
{
    const double ratio = view_real(row->entry, "ratio");
    const struct value *sure = view_get(row->entry, "distinguishable");
    if (isnan(ratio) || !(view_is(sure, VIEW_TRUE) || view_is(sure, VIEW_FALSE)))
        return copy("not known");
    if (view_is(sure, VIEW_FALSE))
        return copy("not shown");
    return copy(ratio > 1 ? "yes, worse" : "yes, better");
}

static char *capacity_text(const struct row *row)
{
    char text[NUMBER_SIZE];
    return copy(capacity_value(view_get(row->of->result.top, "capacity"), row->entry, text));
}

/* "0.71 [0.65, 0.77]" */
static char *capacity_of_alone_text(const struct row *row)
{
    const struct value *ci = view_get(row->entry, "of_reference_ci"), *low = view_first(ci);
    const double ratio = view_real(row->entry, "of_reference");
    char text[NUMBER_SIZE];
    return copy(number_ratio(ratio, view_number(low, NAN),
                             low == NULL ? NAN : view_number(view_next(ci, low), NAN), text));
}

/* "19 of 24" */
static char *kept_text(const struct row *row)
{
    OWNED char *kept = must(view_copy(view_get(row->entry, "kept"))),
               *runs = must(view_copy(view_get(row->entry, "runs")));
    char *text = strcmp(runs, "null") == 0 ? copy("-") : text_of("%s of %s", kept, runs);
    return text;
}

static const struct column of_cells[] = {
    {.key = "program", .title = "program", .left = true, .text = program_text},
    {.key = "load", .title = "load", .left = true, .text = cell_load_text},
    {.key = "runs", .title = "runs", .rank = 1, .text = cell_runs_text},
    {.key = "alone", .title = "%s", .fill = FILL_ALONE, .rank = 3, .text = alone_text},
    {.key = "loaded", .title = "under load", .rank = 2, .text = figure_text_of},
    {.key = "slowdown", .title = "%s", .fill = FILL_RATIO, .text = slowdown_text},
    {.key = "of_alone",
     .title = "of alone [%s]",
     .fill = FILL_LEVEL,
     .rank = 4,
     .text = of_alone_text},
    {.key = "user", .title = "user", .rank = 6, .text = pair_text, .metric = &metrics[METRIC_USER]},
    {.key = "system",
     .title = "system",
     .rank = 7,
     .text = pair_text,
     .metric = &metrics[METRIC_SYSTEM]},
    {.key = "memory",
     .title = "memory",
     .rank = 8,
     .text = pair_text,
     .metric = &metrics[METRIC_MEMORY]},
    {.key = "achieved", .title = "load achieved", .rank = 5, .text = cell_achieved_text},
};

static const struct column of_cell_metrics[] = {
    {.key = "program", .title = "program", .left = true, .text = program_text},
    {.key = "load", .title = "load", .left = true, .text = cell_load_text},
    {.key = "metric", .title = "metric", .left = true, .text = metric_text},
    {.key = "alone", .title = "alone (%s)", .rank = 2, .text = alone_text},
    {.key = "loaded", .title = "under load", .rank = 1, .text = figure_text_of},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL, .text = slowdown_text},
    {.key = "of_alone",
     .title = "of alone [%s]",
     .fill = FILL_LEVEL,
     .rank = 3,
     .text = of_alone_text},
};

static const struct column of_conditions[] = {
    {.key = "condition", .title = "condition", .left = true, .text = condition_text},
    {.key = "runs", .title = "runs", .rank = 1, .text = runs_text},
    {.key = "figure", .title = "%s", .fill = FILL_MAIN, .rank = 2, .text = figure_text_of},
    {.key = "mean", .title = "mean", .rank = 8, .text = mean_text},
    {.key = "variance", .title = "variance", .rank = 9, .text = variance_text},
    {.key = "user",
     .title = "user",
     .rank = 5,
     .text = center_text,
     .metric = &metrics[METRIC_USER]},
    {.key = "system",
     .title = "system",
     .rank = 6,
     .text = center_text,
     .metric = &metrics[METRIC_SYSTEM]},
    {.key = "memory",
     .title = "memory",
     .rank = 7,
     .text = center_text,
     .metric = &metrics[METRIC_MEMORY]},
    {.key = "slowdown", .title = "%s", .fill = FILL_RATIO, .text = slowdown_text},
    {.key = "of_alone",
     .title = "of alone [%s]",
     .fill = FILL_LEVEL,
     .rank = 3,
     .text = of_alone_text},
    {.key = "achieved", .title = "load achieved", .rank = 4, .text = achieved_text},
};

static const struct column of_condition_metrics[] = {
    {.key = "condition", .title = "condition", .left = true, .text = condition_text},
    {.key = "metric", .title = "metric", .left = true, .text = metric_text},
    {.key = "alone", .title = "alone (%s)", .rank = 2, .text = alone_text},
    {.key = "loaded", .title = "under load", .rank = 1, .text = figure_text_of},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL, .text = slowdown_text},
    {.key = "of_alone",
     .title = "of alone [%s]",
     .fill = FILL_LEVEL,
     .rank = 3,
     .text = of_alone_text},
};

static const struct column of_variants[] = {
    {.key = "variant", .title = "variant", .left = true, .text = variant_text},
    {.key = "load", .title = "load", .left = true, .text = load_text},
    {.key = "runs", .title = "runs", .rank = 2, .text = runs_text},
    {.key = "figure", .title = "%s", .fill = FILL_MAIN, .rank = 1, .text = figure_text_of},
    {.key = "ratio", .title = "%s", .fill = FILL_REFERENCE, .text = reference_ratio_text},
    {.key = "verdict", .title = "verdict", .left = true, .text = verdict_text},
    {.key = "slowdown",
     .title = "%s",
     .fill = FILL_RATIO,
     .rank = 3,
     .text = variant_slowdown_text},
    {.key = "achieved", .title = "load achieved", .rank = 4, .text = achieved_text},
};

static const struct column of_changes[] = {
    {.key = "variant", .title = "variant", .left = true, .text = variant_text},
    {.key = "load", .title = "load", .left = true, .text = load_text},
    {.key = "metric", .title = "metric", .left = true, .text = metric_text},
    {.key = "alone", .title = "ratio alone", .rank = 2, .text = ratio_alone_text},
    {.key = "under", .title = "ratio under load", .rank = 1, .text = ratio_loaded_text},
    {.key = "change", .title = "change [%s]", .fill = FILL_LEVEL, .text = change_text},
    {.key = "answer", .title = "does the load change it?", .left = true, .text = answer_text},
};

static const struct column of_capacity[] = {
    {.key = "condition", .title = "condition", .left = true, .text = condition_text},
    {.key = "value", .title = "capacity [%s]", .fill = FILL_LEVEL, .text = capacity_text},
    {.key = "of_alone",
     .title = "of alone [%s]",
     .fill = FILL_LEVEL,
     .text = capacity_of_alone_text},
    {.key = "kept", .title = "runs that kept it", .rank = 1, .text = kept_text},
};

static char *setting_text(const struct row *row)
{
    return row->is_reference ? copy("none") : protection_setting(row->entry);
}

static char *where_text(const struct row *row)
{
    return row->is_reference ? copy("-") : protection_where(row->entry);
}

static char *left_text(const struct row *row)
{
    return protection_ratio(
        view_get(row->entry, row->is_reference ? "slowdown_unprotected" : "slowdown"));
}

static char *removed_text(const struct row *row)
{
    return row->is_reference ? copy("-") : protection_share(view_get(row->entry, "removed"));
}

static char *neighbour_text(const struct row *row)
{
    return row->is_reference ? copy("100 %") : protection_share(view_get(row->entry, "kept"));
}

static char *cost_text(const struct row *row)
{
    const struct value *cost = view_get(row->entry, "cost");
    return row->is_reference || !view_is(cost, VIEW_OBJECT) ? copy("-") : protection_ratio(cost);
}

static char *front_text(const struct row *row)
{
    return row->is_reference ? copy("-") : protection_front(row->of, row->entry);
}

static const struct column of_protection[] = {
    {.key = "load", .title = "beside", .left = true, .rank = 1, .text = condition_text},
    {.key = "setting", .title = "setting", .left = true, .text = setting_text},
    {.key = "where", .title = "on", .left = true, .text = where_text},
    {.key = "left", .title = "slowdown left [%s]", .fill = FILL_LEVEL, .text = left_text},
    {.key = "removed", .title = "removes [%s]", .fill = FILL_LEVEL, .text = removed_text},
    {.key = "kept", .title = "neighbour keeps [%s]", .fill = FILL_LEVEL, .text = neighbour_text},
    {.key = "cost", .title = "cost alone [%s]", .fill = FILL_LEVEL, .rank = 2, .text = cost_text},
    {.key = "front", .title = "front", .left = true, .rank = 3, .text = front_text},
};

#define TABLE(list)                                                                                \
    {                                                                                              \
        list, sizeof(list) / sizeof *(list)                                                        \
    }

static const struct {
    const struct column *column;
    size_t count;
} tables[TABLES] = {
    [TABLE_CELLS] = TABLE(of_cells),
    [TABLE_CELL_METRICS] = TABLE(of_cell_metrics),
    [TABLE_CONDITIONS] = TABLE(of_conditions),
    [TABLE_CONDITION_METRICS] = TABLE(of_condition_metrics),
    [TABLE_VARIANTS] = TABLE(of_variants),
    [TABLE_CHANGES] = TABLE(of_changes),
    [TABLE_CAPACITY] = TABLE(of_capacity),
    [TABLE_PROTECTION] = TABLE(of_protection),
};

void columns_put_texts(struct line *json, enum table table, const struct row *row)
{
    line_object(json, "texts");
    for (size_t i = 0; i < tables[table].count; i++) {
        const struct column *column = &tables[table].column[i];
        struct row own = *row;
        if (column->metric != NULL)
            own.metric = column->metric;
        OWNED char *text = column->text(&own);
        line_text(json, column->key, text);
    }
    line_close(json);
}

/* What a title is filled with; to be freed by free_fills. */
struct fills {
    char *text[FILLS];
};

/* metric: words of what the figures are of; timed: ratios of it are slowdowns; reference: of
 * what the ratios are to. NULL: not in these titles. */
static struct fills make_fills(const struct legend *legend, const char *metric, bool timed,
                               const char *reference)
{
    struct fills fills = {{legend_figure(legend), legend_level(legend)}};
    char **text = fills.text;
    text[FILL_MAIN] =
        text_of("%s (%s)", metric == NULL ? "main metric" : metric, text[FILL_FIGURE]);
    text[FILL_ALONE] = text_of("%s%salone (%s)", timed || metric == NULL ? "" : metric,
                               timed || metric == NULL ? "" : " ", text[FILL_FIGURE]);
    text[FILL_RATIO] = text_of("%s [%s]",
                               timed               ? "slowdown"
                               : reference != NULL ? "ratio to alone"
                                                   : "ratio",
                               text[FILL_LEVEL]);
    text[FILL_REFERENCE] =
        text_of("ratio to %s [%s]", reference == NULL ? "-" : reference, text[FILL_LEVEL]);
    return fills;
}

static void free_fills(struct fills *fills)
{
    for (size_t i = 0; i < FILLS; i++)
        free(fills->text[i]);
}

static void put_table(struct line *json, const char *name, enum table table,
                      const struct fills *fills)
{
    const struct column *column = tables[table].column;
    line_array(json, name);
    for (size_t i = 0; i < tables[table].count; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        OWNED char *title = text_of(column[i].title, fills->text[column[i].fill]);
#pragma GCC diagnostic pop
        line_object(json, NULL);
        line_text(json, "key", column[i].key);
        line_text(json, "title", title);
        line_bool(json, "left", column[i].left);
        line_count(json, "rank", column[i].rank);
        line_close(json);
    }
    line_close(json);
}

void columns_put_all(struct line *json, const struct legend *legend)
{
    struct fills fills = make_fills(legend, legend->mixed ? NULL : legend->main,
                                    !legend->mixed && legend->timed, NULL);
    line_object(json, "columns");
    put_table(json, "cells", TABLE_CELLS, &fills);
    put_table(json, "cell_metrics", TABLE_CELL_METRICS, &fills);
    put_table(json, "conditions", TABLE_CONDITIONS, &fills);
    put_table(json, "condition_metrics", TABLE_CONDITION_METRICS, &fills);
    line_close(json);
    free_fills(&fills);
}

void columns_put(struct line *json, enum table table, const struct legend *legend,
                 const char *reference, const struct metric *metric)
{
    const bool timed = metric == NULL || strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
    struct fills fills =
        make_fills(legend, metric == NULL ? NULL : metric->words, timed, reference);
    put_table(json, "columns", table, &fills);
    free_fills(&fills);
}
