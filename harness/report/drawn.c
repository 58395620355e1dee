#include "drawn.h"

#include "experiment.h"
#include "plot.h"
#include "row.h"
#include "view.h"

#include "common/json.h"
#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_MOST 1500 /* runs of a condition; more are thinned out */

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, size_t count, double share)
{
    const double at = (double)(count - 1) * share;
    const size_t low = (size_t)at;
    return low + 1 >= count ? sorted[count - 1]
                            : sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

void spread_of(struct spread *spread, double *values, size_t count)
{
    *spread = (struct spread){0};
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, by_value);
    const double step = count > STRIP_MOST ? (double)(count - 1) / (STRIP_MOST - 1) : 1;
    for (size_t i = 0; i < STRIP_MOST && (double)i * step <= (double)(count - 1) + 1e-9; i++)
        spread->strip[spread->count++] = values[(size_t)((double)i * step + 0.5)];
    spread->low = values[0];
    spread->high = values[count - 1];
    spread->quarter = quantile(values, count, 0.25);
    spread->median = quantile(values, count, 0.5);
    spread->three_quarters = quantile(values, count, 0.75);
}

/* The used runs of a condition as multiples of unit, to be freed. */
static double *used_runs(const struct experiment *of, const char *condition, size_t metric,
                         double unit, size_t *count)
{
    const struct runs *runs = &of->runs;
    const size_t number = condition == NULL ? SIZE_MAX : runs_condition(runs, condition);
    double *values = must(calloc(runs->count + 1, sizeof *values));
    *count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const double value = runs_value(runs, i, &of->metrics, metric);
        if (runs->item[i].used && runs->item[i].condition == number && !isnan(value))
            values[(*count)++] = value / unit;
    }
    return values;
}

static char *visible_or_nothing(const char *text)
{
    return text == NULL ? must(strdup("")) : visible(text);
}

static void add_level(struct drawn *drawn, const char *level)
{
    char *end = NULL;
    drawn->level_text = visible_or_nothing(level);
    drawn->level = NAN;
    const char *start = drawn->level_text + strspn(drawn->level_text, " ");
    if (*start >= '0' && *start <= '9')
        drawn->level = strtod(start, &end);
    drawn->level_unit = must(strdup(end == NULL ? "" : end + strspn(end, " ")));
}

static void add_ratio(struct drawn *drawn, const struct value *slowdown)
{
    const struct value *ci = view_get(slowdown, "ci"), *low = view_first(ci);
    drawn->ratio = number_of(slowdown, "ratio");
    drawn->low = view_number(low, drawn->ratio);
    drawn->high = low == NULL ? drawn->ratio : view_number(view_next(ci, low), drawn->ratio);
    drawn->sure = !view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE);
}

static void add_runs(struct drawn *drawn, const struct cell *cell, size_t metric)
{
    const struct value *figure = metric_figure(cell->baseline, &cell->of->metrics.item[metric]);
    drawn->alone_median = number_of(figure, "median");
    if (!(drawn->alone_median > 0))
        return;
    size_t count = 0;
    drawn->alone =
        used_runs(cell->of, cell->reference, metric, drawn->alone_median, &drawn->alone_count);
    double *loaded = used_runs(cell->of, cell->condition, metric, drawn->alone_median, &count);
    if (cell->loaded != NULL)
        spread_of(&drawn->loaded, loaded, count);
    free(loaded);
}

/* What the cell's condition is called where its variant is known from its row. */
static char *condition_name(const struct cell *cell)
{
    char *load =
        cell->variant == NULL
            ? NULL
            : view_string(view_get(experiment_condition(cell->of, cell->condition), "load"));
    char *name = visible_or_nothing(load != NULL ? load : cell->condition);
    free(load);
    return name;
}

static struct drawn drawn_of(const struct cell *cell, size_t number)
{
    const struct metric *metric = &cell->of->metrics.item[number];
    struct drawn drawn = {.metric = must(strdup(metric->words)),
                          .metric_unit = must(strdup(metric->unit)),
                          .timed = number == METRIC_WALL,
                          .main = number == cell->of->metrics.main,
                          .experiment = cell->of->name};
    char *unit = view_string(view_get(cell->load_entry, "unit"));
    drawn.row = visible(cell->row);
    drawn.load = visible_or_nothing(cell->load);
    drawn.condition = condition_name(cell);
    drawn.unit = visible_or_nothing(unit);
    add_level(&drawn, cell->level);
    add_ratio(&drawn, slowdown_of(cell->of, cell->condition, metric->name));
    drawn.offered = number_of(cell->load_entry, "offered");
    drawn.achieved = number_of(cell->load_entry, "achieved");
    drawn.is_short = cell->is_short;
    add_runs(&drawn, cell, number);
    free(unit);
    return drawn;
}

struct drawings *drawings_make(const struct cell *cell)
{
    const struct metric_list *list = &cell->of->metrics;
    struct drawings *drawings = must(calloc(1, sizeof *drawings));
    drawings->item = must(calloc(list->count, sizeof *drawings->item));
    for (size_t i = 0; i < list->count && !capacity_searched(cell->of); i++)
        if (list->item[i].chosen || i == list->main)
            drawings->item[drawings->count++] = drawn_of(cell, i);
    return drawings;
}

void drawings_free(struct drawings *drawings)
{
    for (size_t i = 0; drawings != NULL && i < drawings->count; i++) {
        struct drawn *drawn = &drawings->item[i];
        char *texts[] = {drawn->metric,     drawn->metric_unit, drawn->row,
                         drawn->load,       drawn->condition,   drawn->unit,
                         drawn->level_unit, drawn->level_text};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            free(texts[k]);
        free(drawn->alone);
    }
    if (drawings != NULL)
        free(drawings->item);
    free(drawings);
}

/* A run in the plot of a metric. */
struct point {
    double order, value;
    bool flagged;
};

struct series {
    struct point *point;
    size_t count, all;
};

/* Which points of a series are drawn. Of more than SERIES_MOST, of each few
 * neighbours only the lowest, the highest and the first. */
static size_t thin(struct point *point, size_t count)
{
    const size_t step = count > SERIES_MOST ? count * 3 / SERIES_MOST : 1;
    size_t kept = 0;
    for (size_t start = 0; start < count; start += step) {
        const size_t end = start + step < count ? start + step : count;
        size_t low = start, high = start;
        for (size_t i = start; i < end; i++) {
            if (point[i].value < point[low].value)
                low = i;
            if (point[i].value > point[high].value)
                high = i;
        }
        const struct point first = point[start], lowest = point[low], highest = point[high];
        point[kept++] = first;
        if (low != start)
            point[kept++] = lowest;
        if (high != start && high != low)
            point[kept++] = highest;
    }
    return kept;
}

static struct series series_of(const struct experiment *of, const char *condition, size_t metric)
{
    const struct runs *runs = &of->runs;
    const size_t number = condition == NULL ? SIZE_MAX : runs_condition(runs, condition);
    struct series series = {.point = must(calloc(runs->count + 1, sizeof *series.point))};
    for (size_t i = 0; i < runs->count && number != SIZE_MAX; i++) {
        const double value = runs_value(runs, i, &of->metrics, metric);
        if (runs->item[i].condition == number && !isnan(value))
            series.point[series.count++] =
                (struct point){runs->item[i].order, value, runs->item[i].flagged};
    }
    series.all = series.count;
    series.count = thin(series.point, series.count);
    return series;
}

static void put_series(struct plot *plot, const struct series *series, enum plot_mark mark,
                       bool flagged, double factor)
{
    for (size_t i = 0; i < series->count; i++)
        if (!flagged || series->point[i].flagged)
            plot_mark(plot, mark, series->point[i].order, series->point[i].value * factor);
}

/* What both series cover: numbers of runs and values. */
static void find_ranges(const struct series series[2], double factor, double x[2], double y[2])
{
    double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < series[k].count; i++) {
            low = fmin(low, series[k].point[i].value * factor);
            high = fmax(high, series[k].point[i].value * factor);
            first = fmin(first, series[k].point[i].order);
            last = fmax(last, series[k].point[i].order);
        }
    if (isinf(low))
        low = high = first = last = 1;
    x[0] = first - 1;
    x[1] = last + 1;
    plot_range(low, high, y);
}

static void put_summary(struct line *json, const char *name, const struct value *condition,
                        const struct metric *metric)
{
    const struct value *figure = metric_figure(condition, metric);
    char low[NUMBER_SIZE], high[NUMBER_SIZE], median[NUMBER_SIZE];
    char *text = condition == NULL
                     ? NULL
                     : text_of("%s to %s, median %s",
                               number_scaled(number_of(figure, "min"), metric->unit, low),
                               number_scaled(number_of(figure, "max"), metric->unit, high),
                               number_scaled(number_of(figure, "median"), metric->unit, median));
    line_text(json, name, text);
    free(text);
}

/* "wall time [ms]" */
static char *axis_label(const struct metric *metric, const struct scale *scale)
{
    return *scale->unit == '\0' ? must(strdup(metric->words))
                                : text_of("%s [%s]", metric->words, scale->unit);
}

static char *draw_order(const struct series series[2], const struct metric *metric, double most)
{
    const struct scale scale = scale_of(fmax(most, 0), metric->unit);
    char *label = axis_label(metric, &scale);
    struct plot plot;
    double x[2], y[2], height;
    find_ranges(series, scale.factor, x, y);
    plot_open(&plot, x, y, "run", label);
    plot_path(&plot, "r s3");
    for (size_t k = 0; k < 2; k++)
        put_series(&plot, &series[k], MARK_RING, true, scale.factor);
    plot_path(&plot, "p s1");
    put_series(&plot, &series[0], MARK_DOT, false, scale.factor);
    plot_path(&plot, "x s2");
    put_series(&plot, &series[1], MARK_CROSS, false, scale.factor);
    free(label);
    return plot_close(&plot, &height);
}

static void put_order(struct line *json, const struct cell *cell, size_t number)
{
    const struct experiment *of = cell->of;
    const struct metric *metric = &of->metrics.item[number];
    const struct value *longest =
        metric_figure(cell->loaded != NULL ? cell->loaded : cell->baseline, metric);
    struct series series[2] = {series_of(of, cell->reference, number),
                               series_of(of, cell->condition, number)};
    char *svg = draw_order(series, metric, number_of(longest, "max"));
    line_object(json, NULL);
    line_text(json, "metric", metric->words);
    line_bool(json, "main", number == of->metrics.main);
    line_text(json, "svg", svg);
    put_summary(json, "alone", cell->baseline, metric);
    put_summary(json, "loaded", cell->loaded, metric);
    line_count(json, "runs", series[0].all + series[1].all);
    line_bool(json, "thinned", series[0].count < series[0].all || series[1].count < series[1].all);
    line_close(json);
    free(svg);
    free(series[0].point);
    free(series[1].point);
}

char *drawn_orders(const struct cell *cell)
{
    const struct metric_list *list = &cell->of->metrics;
    struct line json = {0};
    const bool searched = capacity_searched(cell->of);
    line_array(&json, NULL);
    if (!searched)
        put_order(&json, cell, list->main);
    for (size_t i = 0; i < list->count && !searched; i++)
        if (list->item[i].chosen && i != list->main)
            put_order(&json, cell, i);
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
