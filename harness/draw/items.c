// What a report's charts are made of: an item for each cell and each metric that is drawn of it.

#include "draw.h"

#include "common/record_json.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *item_row(const struct item *item)
{
    return item->row;
}

const char *item_metric(const struct item *item)
{
    return item->name;
}

const char *item_load(const struct item *item)
{
    return item->load;
}

const char *item_condition(const struct item *item)
{
    return item->condition;
}

// "50 %", "4 threads": a number, and what it is of. NAN where a level is no such text.
static double level_of(const char *text, const char **unit)
{
    char *end = NULL;
    *unit = "";
    while (text && *text == ' ')
        text++;
    if (!text || !isdigit((unsigned char)*text))
        return NAN;
    const double level = strtod(text, &end);
    while (*end == ' ')
        end++;
    *unit = end;
    return level;
}

static struct item item_of(const json_t *cell, const json_t *metric, const json_t *runs)
{
    const json_t *charts = json_object_get(cell, "charts");
    const char *condition = json_text_or_empty(charts, "condition");
    struct item item = {
        .cell = cell,
        .metric = metric,
        .runs = runs,
        .row = json_text_or_empty(json_object_get(cell, "texts"), "program"),
        .condition = condition,
        .load = json_text_at(cell, "load") ?: condition,
        .rate = json_text_or_empty(charts, "unit"),
        .name = json_text_or_empty(metric, "metric"),
        .unit = json_text_or_empty(metric, "unit"),
        .offered = json_number_at(charts, "offered"),
        .achieved = json_number_at(charts, "achieved"),
        .times = json_text_or_empty(metric, "times"),
        .main = json_is_true(json_object_get(metric, "main")),
        .timed = json_is_true(json_object_get(metric, "timed")),
        .ratio = {.ratio = json_number_at(metric, "ratio"),
                  .low = json_number_at(metric, "low"),
                  .high = json_number_at(metric, "high"),
                  .sure = json_is_true(json_object_get(metric, "sure"))},
    };
    item.level = level_of(json_text_at(cell, "level"), &item.level_unit);
    return item;
}

// The first cell of an experiment has the runs of all.
static const json_t *runs_of_cell(const json_t *cells, const json_t *cell)
{
    const char *experiment = json_text_or_empty(cell, "experiment");
    JSON_EACH (one, cells) {
        const json_t *runs = json_object_get(json_object_get(one, "charts"), "runs");
        if (json_is_object(runs) && json_text_is(one, "experiment", experiment))
            return runs;
    }
    return NULL;
}

struct items items_of(const json_t *cells)
{
    struct items items = {0};
    const json_t *runs = NULL;
    const char *experiment = NULL;
    JSON_EACH (cell, cells) {
        if (!experiment || !json_text_is(cell, "experiment", experiment))
            runs = runs_of_cell(cells, cell);
        experiment = json_text_or_empty(cell, "experiment");
        JSON_EACH (metric, json_object_get(json_object_get(cell, "charts"), "metrics")) {
            items.item = grown(items.item, items.count, &items.allocated, sizeof *items.item);
            items.item[items.count++] = item_of(cell, metric, runs);
        }
    }
    return items;
}

bool items_is_first(const struct items *all, size_t at,
                    const char *(*text)(const struct item *item))
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(text(&all->item[i]), text(&all->item[at])) == 0)
            return false;
    return true;
}

struct items items_same(struct arena *arena, const struct items *all, size_t first,
                        const char *(*text)(const struct item *item))
{
    const char *wanted = text(&all->item[first]);
    size_t count = 0;
    for (size_t i = first; i < all->count; i++)
        count += strcmp(text(&all->item[i]), wanted) == 0;
    struct items same = {.item = arena_take(arena, count * sizeof *same.item)};
    for (size_t i = first; i < all->count; i++)
        if (strcmp(text(&all->item[i]), wanted) == 0)
            same.item[same.count++] = all->item[i];
    return same;
}
