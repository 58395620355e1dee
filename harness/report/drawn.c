#include "drawn.h"

#include "memory.h"
#include "numbers.h"
#include "plot.h"
#include "row.h"
#include "visible.h"

#include "common/json.h"

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
static double *used_runs(const struct runs *runs, const char *condition, double unit, size_t *count)
{
    const size_t number = runs_condition(runs, condition);
    double *values = must(calloc(runs->count + 1, sizeof *values));
    *count = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->item[i].used && runs->item[i].condition == number)
            values[(*count)++] = runs->item[i].wall_s / unit;
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

struct drawn *drawn_make(const struct cell *cell)
{
    const struct value *slowdown = cell->slowdown, *ci = view_get(slowdown, "ci"),
                       *low = view_first(ci);
    const struct value *wall = view_get(cell->of->baseline, "wall_s");
    struct drawn *drawn = must(calloc(1, sizeof *drawn));
    char *unit = view_string(view_get(cell->load_entry, "unit"));
    drawn->row = visible(cell->row);
    drawn->load = visible_or_nothing(cell->load);
    drawn->condition = visible_or_nothing(cell->condition);
    drawn->unit = visible_or_nothing(unit);
    add_level(drawn, cell->level);
    drawn->ratio = number_of(slowdown, "ratio");
    drawn->low = view_number(low, drawn->ratio);
    drawn->high = low == NULL ? drawn->ratio : view_number(view_next(ci, low), drawn->ratio);
    drawn->sure = !view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE);
    drawn->offered = number_of(cell->load_entry, "offered");
    drawn->achieved = number_of(cell->load_entry, "achieved");
    drawn->is_short = cell->is_short;
    drawn->alone_median_s = number_of(wall, "median");
    if (drawn->alone_median_s > 0) {
        size_t count = 0;
        drawn->alone = used_runs(&cell->of->runs, cell->of->reference, drawn->alone_median_s,
                                 &drawn->alone_count);
        double *loaded =
            used_runs(&cell->of->runs, drawn->condition, drawn->alone_median_s, &count);
        if (cell->loaded != NULL)
            spread_of(&drawn->loaded, loaded, count);
        free(loaded);
    }
    free(unit);
    return drawn;
}

void drawn_free(struct drawn *drawn)
{
    if (drawn == NULL)
        return;
    char *texts[] = {drawn->row,  drawn->load,       drawn->condition,
                     drawn->unit, drawn->level_unit, drawn->level_text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(drawn->alone);
    free(drawn);
}

/* Which runs of a series are drawn. Of more than SERIES_MOST, of each few
 * neighbours only the fastest, the slowest and the first. */
static size_t thin(const struct run_record **series, size_t count)
{
    const size_t step = count > SERIES_MOST ? count * 3 / SERIES_MOST : 1;
    size_t kept = 0;
    for (size_t start = 0; start < count; start += step) {
        const size_t end = start + step < count ? start + step : count;
        const struct run_record *first = series[start], *low = first, *high = first;
        for (size_t i = start; i < end; i++) {
            if (series[i]->wall_s < low->wall_s)
                low = series[i];
            if (series[i]->wall_s > high->wall_s)
                high = series[i];
        }
        series[kept++] = first;
        if (low != first)
            series[kept++] = low;
        if (high != first && high != low)
            series[kept++] = high;
    }
    return kept;
}

struct series {
    const struct run_record **run;
    size_t count, all;
};

static struct series series_of(const struct runs *runs, const char *condition)
{
    const size_t number = condition == NULL ? SIZE_MAX : runs_condition(runs, condition);
    struct series series = {.run = must(calloc(runs->count + 1, sizeof *series.run))};
    for (size_t i = 0; i < runs->count && number != SIZE_MAX; i++)
        if (runs->item[i].condition == number)
            series.run[series.count++] = &runs->item[i];
    series.all = series.count;
    series.count = thin(series.run, series.count);
    return series;
}

static void put_series(struct plot *plot, const struct series *series, enum plot_mark mark,
                       bool flagged, double factor)
{
    for (size_t i = 0; i < series->count; i++)
        if (!flagged || series->run[i]->flagged)
            plot_mark(plot, mark, series->run[i]->order, series->run[i]->wall_s * factor);
}

/* What both series cover: numbers of runs and times. */
static void find_ranges(const struct series series[2], double factor, double x[2], double y[2])
{
    double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < series[k].count; i++) {
            low = fmin(low, series[k].run[i]->wall_s * factor);
            high = fmax(high, series[k].run[i]->wall_s * factor);
            first = fmin(first, series[k].run[i]->order);
            last = fmax(last, series[k].run[i]->order);
        }
    if (isinf(low))
        low = high = first = last = 1;
    x[0] = first - 1;
    x[1] = last + 1;
    plot_range(low, high, y);
}

static void put_times(struct line *json, const char *name, const struct value *condition)
{
    const struct value *wall = view_get(condition, "wall_s");
    char low[NUMBER_SIZE], high[NUMBER_SIZE], median[NUMBER_SIZE];
    char *text = condition == NULL
                     ? NULL
                     : text_of("%s to %s, median %s",
                               number_scaled(number_of(wall, "min"), "s", low),
                               number_scaled(number_of(wall, "max"), "s", high),
                               number_scaled(number_of(wall, "median"), "s", median));
    line_text(json, name, text);
    free(text);
}

char *drawn_order(const struct cell *cell)
{
    const struct value *longest =
        view_get(cell->loaded != NULL ? cell->loaded : cell->of->baseline, "wall_s");
    const struct scale scale = scale_of(fmax(number_of(longest, "max"), 0), "s");
    struct series series[2] = {series_of(&cell->of->runs, cell->of->reference),
                               series_of(&cell->of->runs, cell->condition)};
    struct plot plot;
    struct line json = {0};
    double x[2], y[2], height;
    char *label = text_of("wall time [%s]", scale.unit);
    find_ranges(series, scale.factor, x, y);
    plot_open(&plot, x, y, "run", label);
    plot_path(&plot, "r s3");
    for (size_t k = 0; k < 2; k++)
        put_series(&plot, &series[k], MARK_RING, true, scale.factor);
    plot_path(&plot, "p s1");
    put_series(&plot, &series[0], MARK_DOT, false, scale.factor);
    plot_path(&plot, "x s2");
    put_series(&plot, &series[1], MARK_CROSS, false, scale.factor);
    char *svg = plot_close(&plot, &height);
    line_object(&json, NULL);
    line_text(&json, "svg", svg);
    put_times(&json, "alone", cell->of->baseline);
    put_times(&json, "loaded", cell->loaded);
    line_count(&json, "runs", series[0].all + series[1].all);
    line_bool(&json, "thinned", series[0].count < series[0].all || series[1].count < series[1].all);
    line_close(&json);
    free(svg);
    free(label);
    free(series[0].run);
    free(series[1].run);
    must(json.failed ? NULL : json.text);
    return json.text;
}
