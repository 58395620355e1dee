#include "metrics.h"

#include "view.h"

#include "common/memory.h"

#include <stdlib.h>
#include <string.h>

const struct metric metrics[METRIC_COUNT] = {
    [METRIC_WALL] = {.name = "wall_s",
                     .title = "wall",
                     .words = "wall time",
                     .unit = "s",
                     .table_unit = "s",
                     .table_factor = 1,
                     .meaning = "wall time, from start to end"},
    [METRIC_USER] = {.name = "user_s",
                     .title = "user",
                     .words = "user time",
                     .unit = "s",
                     .table_unit = "s",
                     .table_factor = 1,
                     .meaning = "user time, CPU time in the target's own code"},
    [METRIC_SYSTEM] = {.name = "system_s",
                       .title = "system",
                       .words = "system time",
                       .unit = "s",
                       .table_unit = "s",
                       .table_factor = 1,
                       .meaning = "system time, CPU time in the kernel"},
    [METRIC_MEMORY] = {.name = "max_rss_bytes",
                       .title = "memory",
                       .words = "memory",
                       .unit = "B",
                       .table_unit = "MiB",
                       .table_factor = 1 / 1048576.0,
                       .meaning = "memory, the peak of the largest process"},
};

/* The definition of a metric of --metric in the settings; NULL: it is built in, or old. */
static const struct value *definition_of(const struct value *settings, const struct value *name)
{
    const struct value *all = view_get(settings, "metrics");
    for (const struct value *item = NULL; view_each(all, &item);)
        if (view_same(view_get(item, "name"), name))
            return item;
    return NULL;
}

static bool listed(const struct value *list, const char *name)
{
    for (const struct value *item = NULL; view_each(list, &item);)
        if (view_equals(item, name))
            return true;
    return false;
}

/* What the records say of a metric: its definition, else its figure or slowdown, which have
 * the unit of what is built in. */
static const struct value *facts_of(const struct value *result, const struct value *settings,
                                    const struct value *name, const char *text)
{
    const struct value *facts = definition_of(settings, name);
    const struct value *slowdowns = view_get(result, "slowdowns");
    if (facts == NULL)
        facts = view_path(view_first(view_get(result, "conditions")), "metrics", text);
    for (const struct value *item = NULL;
         !view_is(view_get(facts, "unit"), VIEW_STRING) && view_each(slowdowns, &item);)
        if (view_same(view_get(item, "metric"), name))
            facts = item;
    return facts;
}

static void add(struct metric_list *list, const struct value *result, const struct value *settings,
                const struct value *name)
{
    char *text = view_string(name);
    if (text == NULL)
        return;
    const struct value *facts = facts_of(result, settings, name, text);
    char *unit = view_text(facts, "unit");
    char *words = visible(text), *plain = visible(unit == NULL ? "" : unit);
    free(unit);
    list->item = must(realloc(list->item, (list->count + 1) * sizeof *list->item));
    list->item[list->count++] =
        (struct metric){.name = text,
                        .title = words,
                        .words = words,
                        .unit = plain,
                        .table_unit = plain,
                        .table_factor = 1,
                        .higher = view_equals(view_get(facts, "better"), "higher"),
                        .chosen = true};
}

/* The wall time is reported in any case, and stays in its column where only other ones that
 * each run has are chosen. A service's client may run for a fixed time: it is what it prints. */
static void choose_main(struct metric_list *list, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"),
                       *decide = view_get(settings, "decide");
    if (view_first(decide) == NULL)
        decide = chosen;
    list->main = METRIC_WALL;
    if (view_first(chosen) == NULL)
        list->item[METRIC_WALL].chosen = true;
    for (const struct value *item = NULL; list->main == METRIC_WALL &&
                                          !list->item[METRIC_WALL].chosen &&
                                          view_each(decide, &item);) {
        const size_t place = metric_named(list, item);
        if (place >= METRIC_COUNT && place < list->count)
            list->main = place;
    }
}

struct metric_list metric_list(const struct value *result, const struct value *settings)
{
    struct metric_list list = {.item = must(malloc(sizeof metrics)), .count = METRIC_COUNT};
    const struct value *chosen = view_get(settings, "metric");
    memcpy(list.item, metrics, sizeof metrics);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        list.item[i].chosen = listed(chosen, metrics[i].name);
    for (const struct value *item = NULL; view_each(chosen, &item);)
        if (metric_named(&list, item) == list.count)
            add(&list, result, settings, item);
    choose_main(&list, settings);
    return list;
}

void metric_list_free(struct metric_list *list)
{
    for (size_t i = METRIC_COUNT; i < list->count; i++) {
        free((char *)(uintptr_t)list->item[i].name);
        free((char *)(uintptr_t)list->item[i].words);
        free((char *)(uintptr_t)list->item[i].unit);
    }
    free(list->item);
    *list = (struct metric_list){0};
}

size_t metric_named(const struct metric_list *list, const struct value *name)
{
    OWNED char *text = view_string(name);
    size_t place = 0;
    while (place < list->count && (text == NULL || strcmp(list->item[place].name, text) != 0))
        place++;
    return place;
}

const struct value *metric_figure(const struct value *condition, const struct metric *metric)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (strcmp(metric->name, metrics[i].name) == 0)
            return view_get(condition, metric->name);
    return view_path(condition, "metrics", metric->name);
}

void metrics_put(struct line *json)
{
    line_array(json, "metrics");
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        line_object(json, NULL);
        line_text(json, "name", metrics[i].name);
        line_text(json, "title", metrics[i].title);
        line_text(json, "unit", metrics[i].unit);
        line_text(json, "table_unit", metrics[i].table_unit);
        line_text(json, "meaning", metrics[i].meaning);
        line_close(json);
    }
    line_close(json);
}
