#include "plots.h"

#include "common/memory.h"
#include "common/numbers.h"
#include "row.h"
#include "view.h"

#include "common/json.h"

#include <math.h>
#include <stdlib.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

void plots_put_ratio(struct line *json, double ratio, double low, double high, bool sure)
{
    char number[NUMBER_SIZE], interval[NUMBER_SIZE];
    low = isnan(low) ? ratio : low;
    high = isnan(high) ? ratio : high;
    const int decimals = ratio_decimals(low, high);
    OWNED char *times = text_of("%s times, %s%s", number_fixed(ratio, decimals, number),
                                number_interval(low, high, decimals, interval),
                                sure ? "" : ", not distinguishable from noise");
    line_real(json, "ratio", ratio);
    line_real(json, "low", low);
    line_real(json, "high", high);
    line_bool(json, "sure", sure);
    line_text(json, "times", times);
}

static void put_extent(struct line *json, const char *name, const struct value *condition,
                       const struct metric *metric)
{
    const struct value *figure = metric_figure(condition, metric);
    if (condition == NULL) {
        line_null(json, name);
        return;
    }
    line_object(json, name);
    line_real(json, "min", number_of(figure, "min"));
    line_real(json, "median", number_of(figure, "median"));
    line_real(json, "max", number_of(figure, "max"));
    line_close(json);
}

static bool is_drawn(const struct experiment *of, size_t metric)
{
    return of->metrics.item[metric].chosen || metric == of->metrics.main;
}

static void put_metric(struct line *json, const struct cell *cell, size_t number)
{
    const struct metric *metric = &cell->of->metrics.item[number];
    const struct value *slowdown = slowdown_of(cell->of, cell->condition, metric->name);
    line_object(json, NULL);
    line_text(json, "metric", metric->words);
    line_text(json, "unit", metric->unit);
    line_bool(json, "timed", number == METRIC_WALL);
    line_bool(json, "main", number == cell->of->metrics.main);
    plots_put_ratio(json, number_of(slowdown, "ratio"), figure_bound(slowdown, false),
                    figure_bound(slowdown, true),
                    !view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE));
    put_extent(json, "alone", cell->baseline, metric);
    put_extent(json, "loaded", cell->loaded, metric);
    line_close(json);
}

/* The main metric first. */
static void put_metrics(struct line *json, const struct cell *cell)
{
    const struct metric_list *list = &cell->of->metrics;
    line_array(json, "metrics");
    put_metric(json, cell, list->main);
    for (size_t i = 0; i < list->count; i++)
        if (i != list->main && is_drawn(cell->of, i))
            put_metric(json, cell, i);
    line_close(json);
}

/* The places, among the runs of a condition, of those that are flagged or in no figure. */
static void put_places(struct line *json, const char *name, const struct runs *runs,
                       size_t condition, bool flagged)
{
    size_t place = 0;
    line_array(json, name);
    for (size_t i = 0; i < runs->count; i++) {
        const struct run_record *run = &runs->item[i];
        if (run->condition != condition)
            continue;
        if (flagged ? run->flagged : !run->used)
            line_count(json, NULL, place);
        place++;
    }
    line_close(json);
}

static void put_condition(struct line *json, const struct experiment *of, size_t condition)
{
    const struct runs *runs = &of->runs;
    line_object(json, runs->condition[condition]);
    line_array(json, "order");
    for (size_t i = 0; i < runs->count; i++)
        if (runs->item[i].condition == condition)
            line_count(json, NULL, runs->item[i].order);
    line_close(json);
    put_places(json, "flagged", runs, condition, true);
    put_places(json, "unused", runs, condition, false);
    line_object(json, "values");
    for (size_t metric = 0; metric < of->metrics.count; metric++) {
        if (!is_drawn(of, metric))
            continue;
        line_array(json, of->metrics.item[metric].words);
        for (size_t i = 0; i < runs->count; i++)
            if (runs->item[i].condition == condition)
                line_real(json, NULL, runs_value(runs, i, &of->metrics, metric));
        line_close(json);
    }
    line_close(json);
    line_close(json);
}

/* What the cell's condition is called where its variant is known from its row. */
static void put_name(struct line *json, const struct cell *cell)
{
    OWNED char *load =
        cell->variant == NULL
            ? NULL
            : view_string(view_get(experiment_condition(cell->of, cell->condition), "load"));
    visible_put(json, "condition", load != NULL ? load : cell->condition);
}

char *cell_plots(const struct cell *cell, bool first)
{
    struct line json = {0};
    OWNED char *unit = view_string(view_get(cell->load_entry, "unit"));
    line_object(&json, NULL);
    if (!capacity_searched(cell->of)) {
        put_name(&json, cell);
        line_text(&json, "reference", cell->reference);
        line_text(&json, "under", cell->condition);
        line_real(&json, "offered", number_of(cell->load_entry, "offered"));
        line_real(&json, "achieved", number_of(cell->load_entry, "achieved"));
        visible_put(&json, "unit", unit);
        put_metrics(&json, cell);
        if (first) {
            line_object(&json, "runs");
            for (size_t i = 0; i < cell->of->runs.condition_count; i++)
                put_condition(&json, cell->of, i);
            line_close(&json);
        }
    }
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
