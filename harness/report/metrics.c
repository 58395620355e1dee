#include "experiment.h"

#include "common/memory.h"
#include "common/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct quantity metrics[METRIC_COUNT] = {
    [METRIC_WALL] = {"wall_s", "wall", "s", "wall time", "s", 1, "wall time, from start to end",
                     false, false},
    [METRIC_USER] = {"user_s", "user", "s", "user time", "s", 1,
                     "user time, CPU time in the target's own code", false, false},
    [METRIC_SYSTEM] = {"system_s", "system", "s", "system time", "s", 1,
                       "system time, CPU time in the kernel", false, false},
    [METRIC_MEMORY] = {"max_rss_bytes", "memory", "B", "memory", "MiB", 1 / 1048576.0,
                       "memory, the peak of the largest process", false, false},
};

bool metric_is_wall(const struct quantity *metric)
{
    return strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
}

const struct value *metric_entry(const struct value *settings, const struct value *name)
{
    const struct value *all = view_get(settings, "metrics");
    for (const struct value *item = NULL; view_each(all, &item);)
        if (view_same(view_get(item, "name"), name))
            return item;
    return NULL;
}

bool metric_decides(const struct value *settings, const char *name)
{
    const struct value *list = view_get(settings, "decide");
    return !view_first(list) || view_lists(list, name);
}

// What the records say of a metric: its definition, else its figure or slowdown, which have
// the unit of what is built in.
static const struct value *facts_of(const struct value *result, const struct value *settings,
                                    const struct value *name, const char *text)
{
    const struct value *facts = metric_entry(settings, name);
    const struct value *slowdowns = view_get(result, "slowdowns");
    if (!facts)
        facts = view_path(view_first(view_get(result, "conditions")), "metrics", text);
    for (const struct value *item = NULL;
         !view_has_text(facts, "unit") && view_each(slowdowns, &item);)
        if (view_same(view_get(item, "metric"), name))
            facts = item;
    return facts;
}

static void add(struct metric_list *list, const struct value *result, const struct value *settings,
                const struct value *name)
{
    char *text = view_string(name);
    if (!text)
        return;
    const struct value *facts = facts_of(result, settings, name, text);
    OWNED char *unit = view_text(facts, "unit");
    char *words = visible(text), *plain = visible(unit ?: "");
    list->item = must(realloc(list->item, (list->count + 1) * sizeof *list->item));
    list->item[list->count++] = (struct quantity){.name = text,
                                                  .title = words,
                                                  .words = words,
                                                  .unit = plain,
                                                  .table_unit = plain,
                                                  .table_factor = 1,
                                                  .higher = view_matches(facts, "better", "higher"),
                                                  .chosen = true};
}

// The wall time is reported in any case, and stays in its column where only other ones that
// each run has are chosen. A service's client may run for a fixed time: it is what it prints.
static void choose_main(struct metric_list *list, const struct value *settings)
{
    const struct value *chosen = view_get(settings, "metric"),
                       *decide = view_get(settings, "decide");
    if (!view_first(decide))
        decide = chosen;
    list->main = METRIC_WALL;
    if (!view_first(chosen))
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
        list.item[i].chosen = view_lists(chosen, metrics[i].name);
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
    while (place < list->count && (!text || strcmp(list->item[place].name, text) != 0))
        place++;
    return place;
}

const struct quantity *metric_chosen(const struct metric_list *list, const struct value *name)
{
    const size_t place = metric_named(list, name);
    return place < list->count && list->item[place].chosen ? &list->item[place] : NULL;
}

const struct value *metric_figure(const struct value *condition, const struct quantity *metric)
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

// The number at a path such as "counters.cycles"; NAN.
static double number_at(const struct value *object, const char *path)
{
    OWNED char *names = must(strdup(path));
    char *rest = names;
    for (char *name = strsep(&rest, "."); name; name = strsep(&rest, "."))
        object = view_get(object, name);
    return view_number(object, NAN);
}

double run_value(const struct value *run, const char *metric)
{
    const struct builtin_metric *known = builtin_metric(metric);
    double sum = 0;
    if (!known)
        return view_real(view_path(run, "metrics", metric), "value");
    for (size_t i = 0; i < METRIC_MEMBERS && known->member[i] != NULL; i++)
        sum += number_at(run, known->member[i]);
    return sum * known->scale;
}
