// The columns of the tables for people, a row here for each.
#include "texts.h"

// What comes for %s in a title.
enum fill { FILL_FIGURE, FILL_LEVEL, FILL_MAIN, FILL_ALONE, FILL_RATIO, FILL_REFERENCE, FILLS };

// A column of a table for people: adding one is a row below, and it appears in every format.
struct column {
    const char *key, *title;
    const char *(*text)(const struct row *row); // what a row has there
    unsigned rank;
    bool left;
    enum fill fill;
    const struct quantity *metric; // that it is of; NULL: that of the row
    const char *reference;         // what the row has that others are compared with; NULL: its own
    size_t marks; // place in the row of the ratio that is marked where it survives; 0: none
};

static const char *program_text(const struct row *row)
{
    return shown(row->of->texts, row->cell->row);
}

static const char *cell_load_text(const struct row *row)
{
    return row_load(row->cell);
}

static const char *condition_text(const struct row *row)
{
    return shown(row->of->texts, row->name);
}

static const char *variant_text(const struct row *row)
{
    return shown(row->of->texts, view_string(row->variant));
}

static const char *load_text(const struct row *row)
{
    return shown(row->of->texts, view_string(row->load) ?: "-");
}

static const char *metric_text(const struct row *row)
{
    return row->metric->words;
}

static double runs_of(const struct value *condition, double otherwise)
{
    return view_number(view_get(condition, "runs"), otherwise);
}

static const char *runs_text(const struct row *row)
{
    return said(row->of->texts, "%.0f", runs_of(row->condition, 0));
}

// "10 + 12 / 3": those alone and under the load, over so many sessions.
static const char *cell_runs_text(const struct row *row)
{
    struct arena *texts = row->of->texts;
    const char *loaded = row->condition ? said(texts, " + %.0f", runs_of(row->condition, NAN)) : "";
    const char *sessions = row->of->sessions > 0 ? said(texts, " / %u", row->of->sessions) : "";
    return said(texts, "%.0f%s%s", runs_of(row->baseline, NAN), loaded, sessions);
}

// Where capacities are searched no figure is of the runs of a condition.
static bool is_searched(const struct row *row)
{
    return row->cell && row->of->capacity;
}

static const char *figure_or_none(const struct row *row, const struct value *condition)
{
    return !condition || is_searched(row)
               ? "-"
               : kept(row->of->texts, row_figure(condition, row->metric, ROOM));
}

static const char *alone_text(const struct row *row)
{
    return figure_or_none(row, row->baseline);
}

static const char *figure_text_of(const struct row *row)
{
    return figure_or_none(row, row->condition);
}

// Where the figure is no mean.
static const char *mean_text(const struct row *row)
{
    const struct value *figure = metric_figure(row->condition, row->metric);
    return view_matches(figure, "statistic", "mean")
               ? "-"
               : kept(row->of->texts,
                      number_scaled(view_real(figure, "mean"), row->metric->unit, ROOM));
}

// "1.71e-6 s²"
static const char *variance_text(const struct row *row)
{
    const struct value *figure = metric_figure(row->condition, row->metric);
    const char *unit = row->metric->unit;
    const char *number = number_scientific(view_real(figure, "variance"), ROOM);
    if (*unit == '\0')
        return kept(row->of->texts, number);
    const bool compound = strpbrk(unit, "/ ") != NULL;
    return said(row->of->texts, "%s %s%s%s²", number, compound ? "(" : "", unit,
                compound ? ")" : "");
}

static const char *center_text(const struct row *row)
{
    return kept(row->of->texts,
                number_scaled(figure_center(metric_figure(row->condition, row->metric)),
                              row->metric->unit, ROOM));
}

static const char *pair_text(const struct row *row)
{
    const double alone = figure_center(metric_figure(row->baseline, row->metric)),
                 loaded = figure_center(metric_figure(row->condition, row->metric));
    return row->of->capacity
               ? "-"
               : kept(row->of->texts, number_pair(alone, loaded, row->metric->unit, ROOM));
}

static const char *remarked(const struct row *row)
{
    return kept(row->of->texts, ratio_remarked(row->slowdown, ROOM));
}

static const char *slowdown_text(const struct row *row)
{
    return !row->slowdown && !row->cell && row->condition == row->of->baseline ? "1"
           : is_searched(row)                                                  ? "-"
                                                                               : remarked(row);
}

// A variant without a load has no slowdown.
static const char *variant_slowdown_text(const struct row *row)
{
    return view_is(row->load, VIEW_STRING) ? remarked(row) : "-";
}

static const char *of_alone_text(const struct row *row)
{
    return is_searched(row) ? "-"
                            : kept(row->of->texts, ratio_plain(row->slowdown, row->metric, ROOM));
}

static const char *cell_achieved_text(const struct row *row)
{
    const struct cell *cell = row->cell;
    return !cell->load_entry ? "-" : row_achieved(row->of->texts, cell->load_entry, cell->is_short);
}

static const char *achieved_text(const struct row *row)
{
    return row_loads(row->of->texts, row->condition);
}

static const char *entry_ratio_text(const struct row *row)
{
    return kept(row->of->texts, ratio_text(row->entry, ROOM));
}

static const char *verdict_text(const struct row *row)
{
    return shown(row->of->texts, view_text(row->entry, "verdict"))
               ?: row->is_reference && !row->entry ? "reference"
                                                   : "-";
}

// The ratio of the variant that an interaction is of, alone or under its load.
static const char *ratio_under_text(const struct row *row, const struct value *load)
{
    const struct value *comparison =
        comparison_of(row->of->comparisons, row->variant, load, row->metric->name);
    return kept(row->of->texts, ratio_text(comparison, ROOM));
}

static const char *ratio_alone_text(const struct row *row)
{
    return ratio_under_text(row, NULL);
}

static const char *ratio_loaded_text(const struct row *row)
{
    return ratio_under_text(row, row->load);
}

static const char *answer_text(const struct row *row)
{
    const double ratio = view_real(row->entry, "ratio");
    if (isnan(ratio) || isnan(figure_bound(row->entry, false)))
        return "not known";
    switch (ratio_effect(row->entry)) {
    case EFFECT_SEEN:
        return ratio > 1 ? "yes, worse" : "yes, better";
    case EFFECT_NONE:
        return "no";
    default:
        return "unclear";
    }
}

static const char *capacity_text(const struct row *row)
{
    return capacity_value(row->of, row->entry);
}

// "0.71 [0.65, 0.77]"
static const char *capacity_of_alone_text(const struct row *row)
{
    const struct value *ci = view_get(row->entry, "of_reference_ci"), *low = view_first(ci);
    return kept(row->of->texts,
                number_ratio(view_real(row->entry, "of_reference"), view_number(low, NAN),
                             low ? view_number(view_next(ci, low), NAN) : NAN, ROOM));
}

// "19 of 24"
static const char *kept_text(const struct row *row)
{
    struct arena *texts = row->of->texts;
    const char *runs = view_copy(texts, view_get(row->entry, "runs"));
    return strcmp(runs, "null") == 0
               ? "-"
               : said(texts, "%s of %s", view_copy(texts, view_get(row->entry, "kept")), runs);
}

// The same of a member of the entry; of a load without settings the slowdown is its own.
static const char *left_text(const struct row *row)
{
    return protection_ratio(
        row->of->texts,
        view_get(row->entry, row->is_reference ? "slowdown_unprotected" : "slowdown"));
}

// Makes the text of the member that the column is named after.
static const char *share_text(const struct row *row)
{
    return protection_share(row->of->texts, view_get(row->entry, row->key));
}

// The same of its CPU time, where the neighbour has no rate.
static const char *share_kept_text(const struct row *row)
{
    const char *text = share_text(row);
    return view_matches(row->entry, "kept_by", "cpu-time")
               ? said(row->of->texts, "%s of its CPU time", text)
               : text;
}

static const char *cost_text(const struct row *row)
{
    return protection_ratio(row->of->texts, view_get(row->entry, "cost"));
}

enum { MOST_COLUMNS = 12 };

#define MARKS(member) offsetof(struct row, member)

// In their order.
static const struct column tables[TABLES][MOST_COLUMNS] =
    {
        [TABLE_CELLS] =
            {
                {"program", "program", program_text, .left = true},
                {"load", "load", cell_load_text, .left = true},
                {"runs", "runs", cell_runs_text, .rank = 1},
                {"alone", "%s", alone_text, .rank = 3, .fill = FILL_ALONE},
                {"loaded", "under load", figure_text_of, .rank = 2},
                {"slowdown", "%s", slowdown_text, .marks = MARKS(slowdown), .fill = FILL_RATIO},
                {"of_alone", "of alone [%s]", of_alone_text, .rank = 4, .fill = FILL_LEVEL},
                {"user", "user", pair_text, .rank = 6, .metric = &metrics[METRIC_USER]},
                {"system", "system", pair_text, .rank = 7, .metric = &metrics[METRIC_SYSTEM]},
                {"memory", "memory", pair_text, .rank = 8, .metric = &metrics[METRIC_MEMORY]},
                {"achieved", "load achieved", cell_achieved_text, .rank = 5},
            },
        [TABLE_CELL_METRICS] =
            {
                {"program", "program", program_text, .left = true},
                {"load", "load", cell_load_text, .left = true},
                {"metric", "metric", metric_text, .left = true},
                {"alone", "alone (%s)", alone_text, .rank = 2},
                {"loaded", "under load", figure_text_of, .rank = 1},
                {"ratio", "ratio [%s]", slowdown_text, .marks = MARKS(slowdown),
                 .fill = FILL_LEVEL},
                {"of_alone", "of alone [%s]", of_alone_text, .rank = 3, .fill = FILL_LEVEL},
            },
        [TABLE_CONDITIONS] =
            {
                {"condition", "condition", condition_text, .left = true},
                {"runs", "runs", runs_text, .rank = 1},
                {"figure", "%s", figure_text_of, .rank = 2, .fill = FILL_MAIN},
                {"mean", "mean", mean_text, .rank = 8},
                {"variance", "variance", variance_text, .rank = 9},
                {"user", "user", center_text, .rank = 5, .metric = &metrics[METRIC_USER]},
                {"system", "system", center_text, .rank = 6, .metric = &metrics[METRIC_SYSTEM]},
                {"memory", "memory", center_text, .rank = 7, .metric = &metrics[METRIC_MEMORY]},
                {"slowdown", "%s", slowdown_text, .marks = MARKS(slowdown), .fill = FILL_RATIO},
                {"of_alone", "of alone [%s]", of_alone_text, .rank = 3, .fill = FILL_LEVEL},
                {"achieved", "load achieved", achieved_text, .rank = 4},
            },
        [TABLE_CONDITION_METRICS] =
            {
                {"condition", "condition", condition_text, .left = true},
                {"metric", "metric", metric_text, .left = true},
                {"alone", "alone (%s)", alone_text, .rank = 2},
                {"loaded", "under load", figure_text_of, .rank = 1},
                {"ratio", "ratio [%s]", slowdown_text, .marks = MARKS(slowdown),
                 .fill = FILL_LEVEL},
                {"of_alone", "of alone [%s]", of_alone_text, .rank = 3, .fill = FILL_LEVEL},
            },
        [TABLE_VARIANTS] =
            {
                {"variant", "variant", variant_text, .left = true},
                {"load", "load", load_text, .left = true},
                {"runs", "runs", runs_text, .rank = 2},
                {"figure", "%s", figure_text_of, .rank = 1, .fill = FILL_MAIN},
                {"ratio", "%s", entry_ratio_text, .marks = MARKS(entry), .fill = FILL_REFERENCE,
                 .reference = "1"},
                {"verdict", "verdict", verdict_text, .left = true},
                {"slowdown", "%s", variant_slowdown_text, .marks = MARKS(slowdown), .rank = 3,
                 .fill = FILL_RATIO},
                {"achieved", "load achieved", achieved_text, .rank = 4},
            },
        [TABLE_CHANGES] =
            {
                {"variant", "variant", variant_text, .left = true},
                {"load", "load", load_text, .left = true},
                {"metric", "metric", metric_text, .left = true},
                {"alone", "ratio alone", ratio_alone_text, .rank = 2},
                {"under", "ratio under load", ratio_loaded_text, .rank = 1},
                {"change", "change [%s]", entry_ratio_text, .marks = MARKS(entry),
                 .fill = FILL_LEVEL},
                {"answer", "does the load change it?", answer_text, .left = true},
            },
        [TABLE_CAPACITY] =
            {
                {"condition", "condition", condition_text, .left = true},
                {"value", "capacity [%s]", capacity_text, .fill = FILL_LEVEL},
                {"of_alone", "of alone [%s]", capacity_of_alone_text, .fill = FILL_LEVEL},
                {"kept", "runs that kept it", kept_text, .rank = 1},
            },
        [TABLE_PROTECTION] =
            {
                {"load", "beside", condition_text, .rank = 1, .left = true},
                {"setting", "setting", protection_setting, .left = true, .reference = "none"},
                {"where", "on", protection_where, .left = true, .reference = "-"},
                {"left", "slowdown left [%s]", left_text, .fill = FILL_LEVEL},
                {"removed", "removes [%s]", share_text, .fill = FILL_LEVEL, .reference = "-"},
                {"kept", "neighbour keeps [%s]", share_kept_text, .fill = FILL_LEVEL,
                 .reference = "100 %"},
                {"cost", "cost alone [%s]", cost_text, .rank = 2, .fill = FILL_LEVEL,
                 .reference = "-"},
                {"front", "front", protection_front, .rank = 3, .left = true, .reference = "-"},
            },
};

static const struct column *after_last(enum table table)
{
    size_t count = 0;
    while (count < MOST_COLUMNS && tables[table][count].key)
        count++;
    return tables[table] + count;
}

void columns_put_row(struct line *json, enum table table, const struct row *row,
                     const struct value *ratio)
{
    line_object(json, NULL);
    effect_put(json, "distinguishable", ratio);
    line_text(json, "effect", ratio ? effect_names[ratio_effect(ratio)] : NULL);
    LINE_OBJECT (json, "texts")
        for (const struct column *column = tables[table]; column < after_last(table); column++) {
            struct row own = *row;
            own.key = column->key;
            if (column->metric)
                own.metric = column->metric;
            const char *text =
                row->is_reference && column->reference ? column->reference : column->text(&own);
            const struct value *marked =
                column->marks > 0 ? *(const struct value *const *)(const void *)((const char *)row +
                                                                                 column->marks)
                                  : NULL;
            line_text(json, column->key, text);
            if (strcmp(text, "-") != 0 && !isnan(view_real(marked, "ratio")))
                mark_put(json, row->of, marked);
        }
}

// What a title is filled with.
struct fills {
    const char *text[FILLS];
};

// metric: words of what the figures are of; timed: ratios of it are slowdowns; reference: of
// what the ratios are to. NULL: not in these titles.
static struct fills make_fills(struct arena *texts, const struct legend *legend, const char *metric,
                               bool timed, const char *reference)
{
    struct fills fills = {{legend_figure(texts, legend), legend_level(texts, legend)}};
    const char **text = fills.text;
    text[FILL_MAIN] = said(texts, "%s (%s)", metric ?: "main metric", text[FILL_FIGURE]);
    text[FILL_ALONE] = said(texts, "%s%salone (%s)", timed || !metric ? "" : metric,
                            timed || !metric ? "" : " ", text[FILL_FIGURE]);
    text[FILL_RATIO] = said(texts, "%s [%s]",
                            timed       ? "slowdown"
                            : reference ? "ratio to alone"
                                        : "ratio",
                            text[FILL_LEVEL]);
    text[FILL_REFERENCE] = said(texts, "ratio to %s [%s]", reference ?: "-", text[FILL_LEVEL]);
    return fills;
}

static void put_table(struct line *json, const char *name, enum table table,
                      const struct fills *fills)
{
    line_array(json, name);
    for (const struct column *column = tables[table]; column < after_last(table); column++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        OWNED char *title = text_of(column->title, fills->text[column->fill]);
#pragma GCC diagnostic pop
        line_object(json, NULL);
        line_text(json, "key", column->key);
        line_text(json, "title", title);
        line_bool(json, "left", column->left);
        line_count(json, "rank", column->rank);
        line_close(json);
    }
    line_close(json);
}

void columns_put_all(struct line *json, struct arena *texts, const struct legend *legend)
{
    const struct fills fills = make_fills(texts, legend, legend->mixed ? NULL : legend->main,
                                          !legend->mixed && legend->timed, NULL);
    line_object(json, "columns");
    put_table(json, "cells", TABLE_CELLS, &fills);
    put_table(json, "cell_metrics", TABLE_CELL_METRICS, &fills);
    put_table(json, "conditions", TABLE_CONDITIONS, &fills);
    put_table(json, "condition_metrics", TABLE_CONDITION_METRICS, &fills);
    line_close(json);
}

void columns_put(struct line *json, struct arena *texts, enum table table,
                 const struct legend *legend, const char *reference, const struct quantity *metric)
{
    const bool timed = !metric || metric_is_wall(metric);
    const struct fills fills =
        make_fills(texts, legend, metric ? metric->words : NULL, timed, reference);
    put_table(json, "columns", table, &fills);
}
