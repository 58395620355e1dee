#include "columns.h"

#include "metrics.h"

#include "common/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What comes for %s in a title. */
enum fill { FILL_FIGURE, FILL_LEVEL, FILL_MAIN, FILL_ALONE, FILL_RATIO, FILL_REFERENCE, FILLS };

struct column {
    const char *key, *title;
    enum fill fill;
    bool left;
    unsigned rank;
};

static const struct column of_cells[] = {
    {.key = "program", .title = "program", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "runs", .title = "runs", .rank = 1},
    {.key = "alone", .title = "%s", .fill = FILL_ALONE, .rank = 3},
    {.key = "loaded", .title = "under load", .rank = 2},
    {.key = "slowdown", .title = "%s", .fill = FILL_RATIO},
    {.key = "of_alone", .title = "of alone [%s]", .fill = FILL_LEVEL, .rank = 4},
    {.key = "user", .title = "user", .rank = 6},
    {.key = "system", .title = "system", .rank = 7},
    {.key = "memory", .title = "memory", .rank = 8},
    {.key = "achieved", .title = "load achieved", .rank = 5},
};

static const struct column of_cell_metrics[] = {
    {.key = "program", .title = "program", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "metric", .title = "metric", .left = true},
    {.key = "alone", .title = "alone (%s)", .rank = 2},
    {.key = "loaded", .title = "under load", .rank = 1},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL},
    {.key = "of_alone", .title = "of alone [%s]", .fill = FILL_LEVEL, .rank = 3},
};

static const struct column of_conditions[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "runs", .title = "runs", .rank = 1},
    {.key = "figure", .title = "%s", .fill = FILL_MAIN, .rank = 2},
    {.key = "mean", .title = "mean", .rank = 8},
    {.key = "variance", .title = "variance", .rank = 9},
    {.key = "user", .title = "user", .rank = 5},
    {.key = "system", .title = "system", .rank = 6},
    {.key = "memory", .title = "memory", .rank = 7},
    {.key = "slowdown", .title = "%s", .fill = FILL_RATIO},
    {.key = "of_alone", .title = "of alone [%s]", .fill = FILL_LEVEL, .rank = 3},
    {.key = "achieved", .title = "load achieved", .rank = 4},
};

static const struct column of_condition_metrics[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "metric", .title = "metric", .left = true},
    {.key = "alone", .title = "alone (%s)", .rank = 2},
    {.key = "loaded", .title = "under load", .rank = 1},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL},
    {.key = "of_alone", .title = "of alone [%s]", .fill = FILL_LEVEL, .rank = 3},
};

static const struct column of_variants[] = {
    {.key = "variant", .title = "variant", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "runs", .title = "runs", .rank = 2},
    {.key = "figure", .title = "%s", .fill = FILL_MAIN, .rank = 1},
    {.key = "ratio", .title = "%s", .fill = FILL_REFERENCE},
    {.key = "verdict", .title = "verdict", .left = true},
    {.key = "slowdown", .title = "%s", .fill = FILL_RATIO, .rank = 3},
    {.key = "achieved", .title = "load achieved", .rank = 4},
};

static const struct column of_changes[] = {
    {.key = "variant", .title = "variant", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "metric", .title = "metric", .left = true},
    {.key = "alone", .title = "ratio alone", .rank = 2},
    {.key = "under", .title = "ratio under load", .rank = 1},
    {.key = "change", .title = "change [%s]", .fill = FILL_LEVEL},
    {.key = "answer", .title = "does the load change it?", .left = true},
};

static const struct column of_capacity[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "value", .title = "capacity [%s]", .fill = FILL_LEVEL},
    {.key = "of_alone", .title = "of alone [%s]", .fill = FILL_LEVEL},
    {.key = "kept", .title = "runs that kept it", .rank = 1},
};

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

static void put_table(struct line *json, const char *name, const struct column *column,
                      size_t count, const struct fills *fills)
{
    line_array(json, name);
    for (size_t i = 0; i < count; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        char *title = text_of(column[i].title, fills->text[column[i].fill]);
#pragma GCC diagnostic pop
        line_object(json, NULL);
        line_text(json, "key", column[i].key);
        line_text(json, "title", title);
        line_bool(json, "left", column[i].left);
        line_count(json, "rank", column[i].rank);
        line_close(json);
        free(title);
    }
    line_close(json);
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

void columns_put(struct line *json, const struct legend *legend)
{
    struct fills fills = make_fills(legend, legend->mixed ? NULL : legend->main,
                                    !legend->mixed && legend->timed, NULL);
    line_object(json, "columns");
    put_table(json, "cells", of_cells, COUNT(of_cells), &fills);
    put_table(json, "cell_metrics", of_cell_metrics, COUNT(of_cell_metrics), &fills);
    put_table(json, "conditions", of_conditions, COUNT(of_conditions), &fills);
    put_table(json, "condition_metrics", of_condition_metrics, COUNT(of_condition_metrics), &fills);
    line_close(json);
    free_fills(&fills);
}

void columns_put_variants(struct line *json, const struct legend *legend, const char *reference,
                          const struct metric *metric)
{
    struct fills fills = make_fills(
        legend, metric->words, strcmp(metric->name, metrics[METRIC_WALL].name) == 0, reference);
    put_table(json, "columns", of_variants, COUNT(of_variants), &fills);
    free_fills(&fills);
}

void columns_put_changes(struct line *json, const struct legend *legend)
{
    struct fills fills = make_fills(legend, NULL, true, NULL);
    put_table(json, "columns", of_changes, COUNT(of_changes), &fills);
    free_fills(&fills);
}

void columns_put_capacity(struct line *json, const struct legend *legend)
{
    struct fills fills = make_fills(legend, NULL, true, NULL);
    put_table(json, "columns", of_capacity, COUNT(of_capacity), &fills);
    free_fills(&fills);
}
