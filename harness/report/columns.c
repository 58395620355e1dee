#include "columns.h"

#include "memory.h"
#include "metrics.h"

#include <stdbool.h>
#include <stdlib.h>

struct column {
    const char *key, *title; /* %s in title: the level of confidence */
    bool left;
    unsigned rank;
};

static const struct column of_cells[] = {
    {.key = "program", .title = "program", .left = true},
    {.key = "load", .title = "load", .left = true},
    {.key = "runs", .title = "runs", .rank = 1},
    {.key = "alone", .title = "alone (mean ± %s)", .rank = 3},
    {.key = "loaded", .title = "under load", .rank = 2},
    {.key = "slowdown", .title = "slowdown [%s]"},
    {.key = "user", .title = "user", .rank = 5},
    {.key = "system", .title = "system", .rank = 6},
    {.key = "memory", .title = "memory", .rank = 7},
    {.key = "achieved", .title = "load achieved", .rank = 4},
};

static const struct column of_conditions[] = {
    {.key = "condition", .title = "condition", .left = true},
    {.key = "runs", .title = "runs", .rank = 1},
    {.key = "wall", .title = "wall time (mean ± %s)", .rank = 2},
    {.key = "variance", .title = "variance", .rank = 7},
    {.key = "user", .title = "user", .rank = 4},
    {.key = "system", .title = "system", .rank = 5},
    {.key = "memory", .title = "memory", .rank = 6},
    {.key = "slowdown", .title = "slowdown [%s]"},
    {.key = "achieved", .title = "load achieved", .rank = 3},
};

static void put_table(struct line *json, const char *name, const struct column *column,
                      size_t count, const char *level)
{
    line_array(json, name);
    for (size_t i = 0; i < count; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        char *title = text_of(column[i].title, level);
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

void columns_put(struct line *json, const char *level)
{
    line_object(json, "columns");
    put_table(json, "cells", of_cells, sizeof of_cells / sizeof *of_cells, level);
    put_table(json, "conditions", of_conditions, sizeof of_conditions / sizeof *of_conditions,
              level);
    line_close(json);
}
