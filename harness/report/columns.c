#include "columns.h"

#include "memory.h"
#include "metrics.h"

#include <stdbool.h>
#include <stdlib.h>

/* What comes for %s in a title. */
enum fill { FILL_FIGURE, FILL_LEVEL, FILLS };

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
    {.key = "alone", .title = "alone (%s)", .rank = 3},
    {.key = "loaded", .title = "under load", .rank = 2},
    {.key = "slowdown", .title = "slowdown [%s]", .fill = FILL_LEVEL},
    {.key = "user", .title = "user", .rank = 5},
    {.key = "system", .title = "system", .rank = 6},
    {.key = "memory", .title = "memory", .rank = 7},
    {.key = "achieved", .title = "load achieved", .rank = 4},
};

static const struct column of_cell_metrics[] = {
    {.key = "program", .title = "program", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "metric", .title = "metric", .left = true},
    {.key = "alone", .title = "alone (%s)", .rank = 2},
    {.key = "loaded", .title = "under load", .rank = 1},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL},
};

static const struct column of_conditions[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "runs", .title = "runs", .rank = 1},
    {.key = "wall", .title = "wall time (%s)", .rank = 2},
    {.key = "variance", .title = "variance", .rank = 7},
    {.key = "user", .title = "user", .rank = 4},
    {.key = "system", .title = "system", .rank = 5},
    {.key = "memory", .title = "memory", .rank = 6},
    {.key = "slowdown", .title = "slowdown [%s]", .fill = FILL_LEVEL},
    {.key = "achieved", .title = "load achieved", .rank = 3},
};

static const struct column of_condition_metrics[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "metric", .title = "metric", .left = true},
    {.key = "alone", .title = "alone (%s)", .rank = 2},
    {.key = "loaded", .title = "under load", .rank = 1},
    {.key = "ratio", .title = "ratio [%s]", .fill = FILL_LEVEL},
};

static void put_table(struct line *json, const char *name, const struct column *column,
                      size_t count, char *const *fills)
{
    line_array(json, name);
    for (size_t i = 0; i < count; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        char *title = text_of(column[i].title, fills[column[i].fill]);
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
    char *fills[FILLS] = {legend_figure(legend), legend_level(legend)};
    line_object(json, "columns");
    put_table(json, "cells", of_cells, COUNT(of_cells), fills);
    put_table(json, "cell_metrics", of_cell_metrics, COUNT(of_cell_metrics), fills);
    put_table(json, "conditions", of_conditions, COUNT(of_conditions), fills);
    put_table(json, "condition_metrics", of_condition_metrics, COUNT(of_condition_metrics), fills);
    line_close(json);
    for (size_t i = 0; i < FILLS; i++)
        free(fills[i]);
}
