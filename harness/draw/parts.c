// The parts of charts, and the look of ratios with their intervals.

#include "draw.h"

#include <math.h>
#include <stdlib.h>

struct part *part_new(struct chart *chart, const char *look)
{
    chart->parts =
        grown(chart->parts, chart->part_count, &chart->parts_allocated, sizeof *chart->parts);
    struct part *part = &chart->parts[chart->part_count++];
    *part = (struct part){.look = look};
    return part;
}

void part_point(struct points *points, double x, double y)
{
    points->item = grown(points->item, points->count, &points->allocated, sizeof *points->item);
    points->item[points->count++] = (struct point){x, y};
}

static int by_x(const void *a, const void *b)
{
    const struct point *one = a, *other = b;
    return (one->x > other->x) - (one->x < other->x);
}

void points_sort(struct points *points)
{
    if (points->count > 0)
        qsort(points->item, points->count, sizeof *points->item, by_x);
}

struct points *part_line(struct part *part)
{
    part->lines = grown(part->lines, part->line_count, &part->lines_allocated, sizeof *part->lines);
    struct points *line = &part->lines[part->line_count++];
    *line = (struct points){0};
    return line;
}

void part_bar(struct part *part, double at, double low, double high)
{
    part->bars = grown(part->bars, part->bar_count, &part->bars_allocated, sizeof *part->bars);
    part->bars[part->bar_count++] = (struct bar){at, low, high};
}

void charts_free(struct charts *charts)
{
    for (size_t i = 0; i < charts->count; i++) {
        struct chart *chart = &charts->item[i];
        for (size_t k = 0; k < chart->part_count; k++) {
            struct part *part = &chart->parts[k];
            for (size_t line = 0; line < part->line_count; line++)
                free(part->lines[line].item);
            free(part->lines);
            free(part->bars);
            free(part->marks.item);
        }
        free(chart->parts);
        free(chart->keys);
        free(chart->x.ticks);
        free(chart->y.ticks);
    }
    free(charts->item);
    *charts = (struct charts){0};
}

struct chart *chart_new(struct charts *charts)
{
    charts->item = grown(charts->item, charts->count, &charts->allocated, sizeof *charts->item);
    struct chart *chart = &charts->item[charts->count++];
    *chart = (struct chart){.caption = "", .found = ""};
    return chart;
}

void part_dashed(struct chart *chart, double x1, double y1, double x2, double y2)
{
    struct points *line = part_line(part_new(chart, "s9"));
    part_point(line, x1, y1);
    part_point(line, x2, y2);
}

void ratio_parts(struct chart *chart, const struct ratio *items, size_t count, bool horizontal)
{
    static const struct {
        const char *bars, *marks;
        enum shape shape;
    } looks[] = {{"s3", "r s3", SHAPE_RING}, {"s2", "p s2", SHAPE_DOT}};
    for (int sure = 0; sure <= 1; sure++) {
        struct part *bars = part_new(chart, looks[sure].bars);
        for (size_t i = 0; i < count; i++)
            if (items[i].sure == sure)
                part_bar(bars, items[i].at, items[i].low, items[i].high);
        struct part *marks = part_new(chart, looks[sure].marks);
        marks->shape = looks[sure].shape;
        for (size_t i = 0; i < count; i++)
            if (items[i].sure == sure && horizontal)
                part_point(&marks->marks, items[i].ratio, items[i].at);
            else if (items[i].sure == sure)
                part_point(&marks->marks, items[i].at, items[i].ratio);
    }
}

void ratio_rows(struct arena *arena, struct chart *chart, struct ratio *items, size_t count,
                const char *label, double limit)
{
    double low = 1, high = 1;
    chart->rows = arena_take(arena, (count + 1) * sizeof *chart->rows);
    chart->row_count = count;
    for (size_t i = 0; i < count; i++) {
        chart->rows[i] = items[i].name;
        items[i].at = (double)(count - i);
        low = fmin(low, items[i].low);
        high = fmax(high, items[i].high);
    }
    if (limit < high + 2 * (high - low))
        high = fmax(high, limit);
    chart->x = axis_airy(low, high, label);
    axis_ticks(arena, &chart->x);
    part_dashed(chart, 1, 0.4, 1, (double)count + 0.6);
    if (limit <= chart->x.high)
        part_dashed(chart, limit, 0.4, limit, (double)count + 0.6);
    ratio_parts(chart, items, count, true);
}
