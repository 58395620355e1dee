// A chart as SVG: its frame, the texts on its axes, and its parts as paths.

#include "draw.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Where an axis is in the drawing.
struct span {
    double from, to;
};

struct canvas {
    FILE *out;
    const struct chart *chart;
    struct axis y; // of the names of rows, where the chart has these
    struct span across, up;
    double height;
};

double drawing_height(const struct chart *chart)
{
    return chart->rows ? 66 + 22 * (double)chart->row_count : 220;
}

const char *xml_text(struct arena *arena, const char *text)
{
    static const struct {
        const char *mark, *instead;
    } marks[] = {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}};
    char *copy = must(visible_copy(text ?: ""));
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char *next = text_replaced(copy, marks[i].mark, marks[i].instead);
        free(copy);
        copy = next;
    }
    return arena_keep(arena, copy);
}

// At most so many letters.
static const char *cut(struct arena *arena, const char *text, size_t letters)
{
    size_t count = 0, bytes = 0, fits = 0;
    for (; text[bytes]; count++) {
        if (count + 1 == letters)
            fits = bytes;
        for (bytes++; (text[bytes] & 0xc0) == 0x80;)
            bytes++;
    }
    return count > letters ? arena_format(arena, "%.*s…", (int)fits, text) : text;
}

// What is far outside ends near the drawing: a figure of a record may be as good as without end.
static double bounded(double number)
{
    const double near = fmin(fmax(number, -1e6), 1e6);
    return round(near * 10) / 10 + 0.0;
}

static void step(FILE *out, char command, double x, double y)
{
    fprintf(out, "%c%.6g %.6g", command, bounded(x), bounded(y));
}

static double place(const struct axis *axis, struct span span, double value)
{
    return span.from + axis_share(axis, value) * (span.to - span.from);
}

static struct point at(const struct canvas *canvas, double x, double y)
{
    return (struct point){place(&canvas->chart->x, canvas->across, x),
                          place(&canvas->y, canvas->up, y)};
}

static void stroke(FILE *out, double x1, double y1, double x2, double y2)
{
    step(out, 'M', x1, y1);
    step(out, 'L', x2, y2);
}

static void text_at(const struct canvas *canvas, struct arena *arena, double x, double y,
                    const char *look, const char *text)
{
    fprintf(canvas->out, "<text x=\"%.6g\" y=\"%.6g\"%s>%s</text>", bounded(x), bounded(y), look,
            xml_text(arena, text));
}

static void draw_grid(const struct canvas *canvas)
{
    const struct axis *x = &canvas->chart->x, *y = &canvas->y;
    const struct span across = canvas->across, up = canvas->up;
    if ((canvas->chart->rows ? x : y)->tick_count == 0)
        return;
    fputs("<path class=\"g\" d=\"", canvas->out);
    if (canvas->chart->rows) {
        for (size_t i = 0; i < x->tick_count; i++) {
            const double where = place(x, across, x->ticks[i].at);
            stroke(canvas->out, where, up.from, where, up.to);
        }
    } else {
        for (size_t i = 0; i < y->tick_count; i++) {
            const double where = place(y, up, y->ticks[i].at);
            stroke(canvas->out, across.from, where, across.to, where);
        }
    }
    fputs("\"/>", canvas->out);
}

static void draw_frame(const struct canvas *canvas)
{
    const struct axis *x = &canvas->chart->x, *y = &canvas->y;
    const struct span across = canvas->across, up = canvas->up;
    fputs("<path class=\"f\" d=\"", canvas->out);
    for (size_t i = 0; i < y->tick_count; i++) {
        const double where = place(y, up, y->ticks[i].at);
        stroke(canvas->out, across.from, where, across.from - 4.1, where);
    }
    for (size_t i = 0; i < x->tick_count; i++) {
        const double where = place(x, across, x->ticks[i].at);
        stroke(canvas->out, where, up.from, where, up.from + 4.1);
    }
    stroke(canvas->out, across.from, up.to, across.from, up.from);
    step(canvas->out, 'L', across.to, up.from);
    fputs("\"/>", canvas->out);
}

static void draw_texts(const struct canvas *canvas, struct arena *arena)
{
    const struct axis *x = &canvas->chart->x, *y = &canvas->y;
    const struct span across = canvas->across, up = canvas->up;
    for (size_t i = 0; i < y->tick_count; i++)
        text_at(canvas, arena, across.from - 11.8, place(y, up, y->ticks[i].at) + 3.6,
                " class=\"end\"", y->ticks[i].text);
    for (size_t i = 0; i < x->tick_count; i++)
        text_at(canvas, arena, place(x, across, x->ticks[i].at), up.from + 24.2, "",
                x->ticks[i].text);
    text_at(canvas, arena, (across.from + across.to) / 2, canvas->height - 4.4, "",
            cut(arena, x->label, 40));
    if (!canvas->chart->rows)
        text_at(canvas, arena, 16.2, 90.2, " transform=\"rotate(270 16.2 90.2)\"",
                cut(arena, y->label, 40));
}

static void draw_bar(const struct canvas *canvas, const struct bar *bar)
{
    const bool lying = canvas->chart->rows != NULL;
    const struct point low = lying ? at(canvas, bar->low, bar->at) : at(canvas, bar->at, bar->low),
                       high =
                           lying ? at(canvas, bar->high, bar->at) : at(canvas, bar->at, bar->high);
    const double dx = lying ? 0 : 2.5, dy = lying ? 2.5 : 0;
    stroke(canvas->out, low.x, low.y, high.x, high.y);
    stroke(canvas->out, low.x - dx, low.y - dy, low.x + dx, low.y + dy);
    stroke(canvas->out, high.x - dx, high.y - dy, high.x + dx, high.y + dy);
}

static const struct {
    double x, y;
    const char *path;
} shapes[] = {
    [SHAPE_DOT] = {0, 0, "h0"},
    [SHAPE_RING] = {-4, 0, "a4 4 0 1 0 8 0a4 4 0 1 0-8 0"},
    [SHAPE_CROSS] = {-2.5, 0, "h5m-2.5-2.5v5"},
    [SHAPE_SQUARE] = {-3, -3, "h6v6h-6z"},
    [SHAPE_TRIANGLE] = {0, -4, "l3.5 6.5h-7z"},
    [SHAPE_DIAMOND] = {0, -4, "l4 4-4 4-4-4z"},
};

static bool is_empty(const struct part *part)
{
    size_t points = part->bar_count + part->marks.count;
    for (size_t i = 0; i < part->line_count; i++)
        points += part->lines[i].count;
    return points == 0;
}

static void draw_part(const struct canvas *canvas, const struct part *part)
{
    if (is_empty(part))
        return;
    fprintf(canvas->out, "<path class=\"%s\" d=\"", part->look);
    for (size_t i = 0; i < part->line_count; i++)
        for (size_t k = 0; k < part->lines[i].count; k++) {
            const struct point *point = &part->lines[i].item[k],
                               where = at(canvas, point->x, point->y);
            step(canvas->out, k == 0 ? 'M' : 'L', where.x, where.y);
        }
    for (size_t i = 0; i < part->bar_count; i++)
        draw_bar(canvas, &part->bars[i]);
    for (size_t i = 0; i < part->marks.count && part->shape != SHAPE_NONE; i++) {
        const struct point where = at(canvas, part->marks.item[i].x, part->marks.item[i].y);
        step(canvas->out, 'M', where.x + shapes[part->shape].x, where.y + shapes[part->shape].y);
        fputs(shapes[part->shape].path, canvas->out);
    }
    fputs("\"/>", canvas->out);
}

static struct canvas canvas_of(struct arena *arena, const struct chart *chart)
{
    const double height = drawing_height(chart);
    struct canvas canvas = {.chart = chart, .y = chart->y, .height = height};
    canvas.across = (struct span){chart->rows ? 129.6 : 61.2, 345.6};
    canvas.up = chart->rows ? (struct span){height - 50, 6} : (struct span){171.6, 8.8};
    if (!chart->rows)
        return canvas;
    canvas.y = (struct axis){.low = 0.4, .high = (double)chart->row_count + 0.6, .factor = 1};
    for (size_t i = 0; i < chart->row_count; i++)
        axis_tick(&canvas.y, (double)(chart->row_count - i), cut(arena, chart->rows[i], 18));
    if (canvas.y.ticks)
        arena_keep(arena, canvas.y.ticks);
    return canvas;
}

const char *drawing_of(struct arena *arena, const struct chart *chart)
{
    char *text = NULL;
    size_t size = 0;
    struct canvas canvas = canvas_of(arena, chart);
    canvas.out = must(open_memstream(&text, &size));
    draw_grid(&canvas);
    draw_frame(&canvas);
    draw_texts(&canvas, arena);
    for (size_t i = 0; i < chart->part_count; i++)
        draw_part(&canvas, &chart->parts[i]);
    return arena_keep(arena, stream_text(canvas.out, &text));
}

const char *drawing_key(struct arena *arena, const struct key *key)
{
    const char *line = arena_format(arena, "<path class=\"%s\" d=\"M1 5L25 5\"/>", key->look);
    if (key->shape == SHAPE_NONE || !key->mark)
        return line;
    return arena_format(arena, "%s<path class=\"%s\" d=\"M%.6g %.6g%s\"/>", line, key->mark,
                        13 + shapes[key->shape].x, 5 + shapes[key->shape].y,
                        shapes[key->shape].path);
}
