// Distributions: each run of a target as a multiple of the median alone, a row for each load.

#include "draw.h"

#include "common/record_json.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPREAD_MOST = 40, // loads of a chart
    STRIP_MOST = 60   // points that stand for a row of runs
};

// Runs in order of size, as x of points.
struct spread_row {
    const char *name;
    struct points values;
};

// q: from 0 to 1, by linear interpolation (type 7 of Hyndman and Fan 1996).
static double quantile(const struct points *sorted, double q)
{
    const double at = (double)(sorted->count - 1) * q;
    const size_t low = (size_t)at;
    if (low + 1 >= sorted->count)
        return sorted->item[sorted->count - 1].x;
    return sorted->item[low].x +
           (at - (double)low) * (sorted->item[low + 1].x - sorted->item[low].x);
}

static void line(struct part *part, double x1, double y1, double x2, double y2)
{
    struct points *points = part_line(part);
    part_point(points, x1, y1);
    part_point(points, x2, y2);
}

// The middle half in a box, the median, and lines to the ends.
static void add_box(struct part *part, const struct points *sorted, double row)
{
    if (sorted->count == 0)
        return;
    const double low = quantile(sorted, 0), quarter = quantile(sorted, 0.25),
                 median = quantile(sorted, 0.5), three = quantile(sorted, 0.75),
                 high = quantile(sorted, 1), up = row - 0.25, down = row + 0.25;
    line(part, low, row, quarter, row);
    line(part, three, row, high, row);
    struct points *box = part_line(part);
    part_point(box, quarter, up);
    part_point(box, three, up);
    part_point(box, three, down);
    part_point(box, quarter, down);
    part_point(box, quarter, up);
    line(part, median, row - 0.32, median, row + 0.32);
}

// At most 60 points from the fastest to the slowest, so that they do not hide each other.
static void add_strip(struct part *part, const struct points *sorted, double row)
{
    const size_t count = sorted->count < STRIP_MOST ? sorted->count : STRIP_MOST;
    const double gap =
        sorted->count > STRIP_MOST ? (double)(sorted->count - 1) / (double)(STRIP_MOST - 1) : 1;
    part->shape = SHAPE_DOT;
    for (size_t i = 0; i < count; i++)
        part_point(&part->marks, sorted->item[(size_t)((double)i * gap + 0.5)].x,
                   row + ((double)(i * 7 % 11) - 5) / 40);
}

static void draw_spread(struct arena *arena, struct chart *chart, const struct spread_row *rows,
                        size_t count, const char *metric)
{
    double low = 1, high = 1;
    chart->rows = arena_take(arena, (count + 1) * sizeof *chart->rows);
    chart->row_count = count;
    for (size_t i = 0; i < count; i++) {
        chart->rows[i] = rows[i].name;
        for (size_t k = 0; k < rows[i].values.count; k++) {
            low = fmin(low, rows[i].values.item[k].x);
            high = fmax(high, rows[i].values.item[k].x);
        }
    }
    chart->x = axis_airy(low, high, arena_format(arena, "%s / median alone", metric));
    axis_ticks(arena, &chart->x);
    part_dashed(chart, 1, 0.4, 1, (double)count + 0.6);
    add_strip(part_new(chart, "p s4"), &rows[0].values, (double)count);
    struct part *strips = part_new(chart, "p s5");
    for (size_t i = 1; i < count; i++)
        add_strip(strips, &rows[i].values, (double)(count - i));
    struct part *boxes = part_new(chart, "s7");
    for (size_t i = 0; i < count; i++)
        add_box(boxes, &rows[i].values, (double)(count - i));
}

// The runs alone of all experiments of a target share the first row.
static size_t make_rows(struct spread_row *rows, const struct items *shown)
{
    size_t count = 1;
    rows[0].name = "alone";
    for (size_t i = 0; i < shown->count; i++) {
        const struct item *item = &shown->item[i];
        const char *experiment = json_text_or_empty(item->cell, "experiment");
        if (i == 0 || !json_text_is(shown->item[i - 1].cell, "experiment", experiment)) {
            struct points alone = runs_multiples(item, runs_reference(item));
            for (size_t k = 0; k < alone.count; k++)
                part_point(&rows[0].values, alone.item[k].x, 0);
            free(alone.item);
        }
        if (!*item->condition)
            continue;
        rows[count].name = item->condition;
        if (json_is_object(json_object_get(item->metric, "loaded")))
            rows[count].values = runs_multiples(item, runs_under(item));
        count++;
    }
    return count;
}

// "57.5 ms", or "57.5 ms to 60.1 ms" where baselines differ.
static const char *medians_text(struct arena *arena, const struct items *shown)
{
    double low = INFINITY, high = -INFINITY;
    char least[NUMBER_SIZE], most[NUMBER_SIZE];
    for (size_t i = 0; i < shown->count; i++) {
        const double median =
            json_number_at(json_object_get(shown->item[i].metric, "alone"), "median");
        low = fmin(low, median);
        high = fmax(high, median);
    }
    if (low > high)
        return "-";
    number_scaled(low, shown->item[0].unit, least);
    number_scaled(high, shown->item[0].unit, most);
    return high - low < high / 1000 ? arena_format(arena, "%s", most)
                                    : arena_format(arena, "%s to %s", least, most);
}

static const char *rows_text(struct arena *arena, const struct item *first,
                             const struct spread_row *rows, size_t count)
{
    char *text = text_of("%s of each run as a multiple of the baseline's median", first->name);
    text[0] = first->timed ? (char)toupper((unsigned char)text[0]) : text[0];
    for (size_t i = 1; i < count; i++) {
        char middle[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
        const struct points *values = &rows[i].values;
        if (values->count > 0)
            text = text_added(text, "; %s: median %s times, from %s to %s times", rows[i].name,
                              number_fixed(quantile(values, 0.5), 2, middle),
                              number_fixed(quantile(values, 0), 2, low),
                              number_fixed(quantile(values, 1), 2, high));
    }
    return arena_keep(arena, text);
}

void spread_add(struct arena *arena, struct charts *charts, const struct items *same)
{
    struct items shown = {.item = same->item,
                          .count = same->count < SPREAD_MOST ? same->count : SPREAD_MOST};
    const struct item *first = &shown.item[0];
    struct spread_row *rows = arena_take(arena, (shown.count + 1) * sizeof *rows);
    const size_t count = make_rows(rows, &shown), left = same->count - shown.count;
    struct chart *chart = chart_new(charts);
    char *found = text_of("%s", first->row);
    for (size_t i = 1; i < count; i++)
        found = text_joined(found, " ", rows[i].name);
    points_sort(&rows[0].values);
    chart->group = first->row;
    chart->note = "Each box holds the middle half of the runs; the long stroke is the median.";
    chart->title = first->main ? arena_format(arena, "Spread of the runs of %s", first->row)
                               : arena_format(arena, "Spread of %s of %s", first->name, first->row);
    chart->text = rows_text(arena, first, rows, count);
    chart->bold = first->main ? "" : first->name;
    chart->caption = arena_format(arena, "median alone: %s", medians_text(arena, &shown));
    if (left > 0)
        chart->caption = arena_format(arena, "%s; %zu more loads are in the table of every cell",
                                      chart->caption, left);
    chart->found = arena_keep(arena, found);
    draw_spread(arena, chart, rows, count, first->name);
    for (size_t i = 0; i < count; i++)
        free(rows[i].values.item);
}
