#include "plot.h"

#include "memory.h"
#include "visible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RIGHT        345.6
#define HEIGHT       220.0
#define TICK         4.1
#define HALF_CAP     2.5
#define MOST_LETTERS 40
#define ROW_LETTERS  18

static double place(const struct axis *axis, double value)
{
    return axis->from + (value - axis->low) / (axis->high - axis->low) * (axis->to - axis->from);
}

/* One decimal, which is a quarter of what the eye sees; "12", not "12.0". Returns
 * the end; a page has millions of them. */
static char *put_short(char *out, double value)
{
    char digits[24];
    size_t count = 0;
    long tenths = lround(value * 10);
    if (tenths < 0)
        *out++ = '-';
    tenths = labs(tenths);
    for (long whole = tenths / 10; count == 0 || whole > 0; whole /= 10)
        digits[count++] = (char)('0' + whole % 10);
    while (count > 0)
        *out++ = digits[--count];
    if (tenths % 10 != 0) {
        *out++ = '.';
        *out++ = (char)('0' + tenths % 10);
    }
    *out = '\0';
    return out;
}

static const char *short_number(double value, char *text)
{
    put_short(text, value);
    return text;
}

static void put_point(struct plot *plot, char command, double x, double y)
{
    char text[64], *end;
    text[0] = command;
    end = put_short(text + 1, x);
    *end++ = ' ';
    end = put_short(end, y);
    fwrite_unlocked(text, 1, (size_t)(end - text), plot->stream);
}

static void close_path(struct plot *plot)
{
    if (plot->drawing)
        fputs("\"/>", plot->stream);
    plot->drawing = false;
}

void plot_range(double low, double high, double *range)
{
    double air = (high - low) * 0.08;
    if (!(air > 0))
        air = fmax(fabs(high) * 0.1, 1e-9);
    range[0] = low - air;
    range[1] = high + air;
}

void plot_path(struct plot *plot, const char *class)
{
    close_path(plot);
    plot->class = class;
}

static void need_path(struct plot *plot)
{
    if (!plot->drawing)
        fprintf(plot->stream, "<path class=\"%s\" d=\"", plot->class);
    plot->drawing = true;
}

static void raw_line(struct plot *plot, double x1, double y1, double x2, double y2)
{
    need_path(plot);
    put_point(plot, 'M', x1, y1);
    put_point(plot, 'L', x2, y2);
}

void plot_line(struct plot *plot, double x1, double y1, double x2, double y2)
{
    raw_line(plot, place(&plot->x, x1), place(&plot->y, y1), place(&plot->x, x2),
             place(&plot->y, y2));
}

void plot_to(struct plot *plot, double x, double y, bool move)
{
    need_path(plot);
    put_point(plot, move ? 'M' : 'L', place(&plot->x, x), place(&plot->y, y));
}

void plot_mark(struct plot *plot, enum plot_mark mark, double x, double y)
{
    const double px = place(&plot->x, x), py = place(&plot->y, y);
    need_path(plot);
    switch (mark) {
    case MARK_DOT:
        put_point(plot, 'M', px, py);
        fputs("h0", plot->stream);
        break;
    case MARK_RING:
        put_point(plot, 'M', px - 4, py);
        fputs("a4 4 0 1 0 8 0a4 4 0 1 0-8 0", plot->stream);
        break;
    case MARK_CROSS:
        put_point(plot, 'M', px - 2.5, py);
        fputs("h5m-2.5-2.5v5", plot->stream);
        break;
    }
}

void plot_error_bar(struct plot *plot, double at, double low, double high, bool horizontal)
{
    const struct axis *along = horizontal ? &plot->x : &plot->y;
    const double end[] = {place(along, low), place(along, high)};
    const double across = place(horizontal ? &plot->y : &plot->x, at);
    if (horizontal)
        raw_line(plot, end[0], across, end[1], across);
    else
        raw_line(plot, across, end[0], across, end[1]);
    for (size_t i = 0; i < 2; i++)
        if (horizontal)
            raw_line(plot, end[i], across - HALF_CAP, end[i], across + HALF_CAP);
        else
            raw_line(plot, across - HALF_CAP, end[i], across + HALF_CAP, end[i]);
}

static void put_text(struct plot *plot, double x, double y, const char *more, const char *text)
{
    char one[32], two[32];
    fprintf(plot->stream, "<text x=\"%s\" y=\"%s\"%s>%s</text>", short_number(x, one),
            short_number(y, two), more, text);
}

/* The step between at most seven ticks: 1, 2 or 5 times a power of ten. */
static double tick_step(const struct axis *axis)
{
    const double least = (axis->high - axis->low) / 6, unit = pow(10, floor(log10(least)));
    const double steps[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 3; i++)
        if (steps[i] * unit >= least * 0.999)
            return steps[i] * unit;
    return 10 * unit;
}

/* Calls draw for each tick of the axis. */
static void each_tick(struct plot *plot, const struct axis *axis,
                      void draw(struct plot *plot, double at, double value))
{
    const double step = tick_step(axis);
    for (double i = ceil(axis->low / step - 1e-9); i * step <= axis->high + 1e-9 * step; i++)
        draw(plot, place(axis, i * step), fabs(i) < 0.5 ? 0 : i * step);
}

static void x_tick(struct plot *plot, double at, double value)
{
    (void)value;
    raw_line(plot, at, plot->y.from, at, plot->y.from + TICK);
}

static void y_tick(struct plot *plot, double at, double value)
{
    (void)value;
    raw_line(plot, plot->x.from, at, plot->x.from - TICK, at);
}

static void x_grid(struct plot *plot, double at, double value)
{
    (void)value;
    raw_line(plot, at, plot->y.from, at, plot->y.to);
}

static void y_grid(struct plot *plot, double at, double value)
{
    (void)value;
    raw_line(plot, plot->x.from, at, plot->x.to, at);
}

static void x_number(struct plot *plot, double at, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    put_text(plot, at, plot->y.from + 24.2, "", text);
}

static void y_number(struct plot *plot, double at, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    put_text(plot, plot->x.from - 11.8, at + 3.6, " class=\"end\"", text);
}

static void begin(struct plot *plot)
{
    plot->stream = must(open_memstream(&plot->text, &plot->size));
    plot->drawing = false;
}

static void put_frame(struct plot *plot)
{
    raw_line(plot, plot->x.from, plot->y.to, plot->x.from, plot->y.from);
    put_point(plot, 'L', plot->x.to, plot->y.from);
    close_path(plot);
}

static void put_x_label(struct plot *plot, const char *label)
{
    char *text = visible_label(label, MOST_LETTERS);
    put_text(plot, (plot->x.from + plot->x.to) / 2, plot->height - 4.4, "", text);
    free(text);
}

void plot_open(struct plot *plot, const double x[2], const double y[2], const char *x_label,
               const char *y_label)
{
    *plot = (struct plot){.height = HEIGHT,
                          .x = {x[0], x[1], 61.2, RIGHT, x_label},
                          .y = {y[0], y[1], 171.6, 8.8, y_label}};
    begin(plot);
    plot_path(plot, "g");
    each_tick(plot, &plot->y, y_grid);
    plot_path(plot, "f");
    each_tick(plot, &plot->y, y_tick);
    each_tick(plot, &plot->x, x_tick);
    put_frame(plot);
    each_tick(plot, &plot->y, y_number);
    each_tick(plot, &plot->x, x_number);
    put_x_label(plot, x_label);
    char *text = visible_label(y_label, MOST_LETTERS);
    put_text(plot, 16.2, 90.2, " transform=\"rotate(270 16.2 90.2)\"", text);
    free(text);
}

void plot_open_rows(struct plot *plot, const double x[2], const char *x_label, char *const *names,
                    size_t count)
{
    const double height = 66 + 22 * (double)count;
    *plot = (struct plot){.height = height,
                          .x = {x[0], x[1], 129.6, RIGHT, x_label},
                          .y = {0.4, (double)count + 0.6, height - 50, 6, NULL}};
    begin(plot);
    plot_path(plot, "g");
    each_tick(plot, &plot->x, x_grid);
    plot_path(plot, "f");
    for (size_t i = 0; i < count; i++)
        y_tick(plot, place(&plot->y, (double)(count - i)), 0);
    each_tick(plot, &plot->x, x_tick);
    put_frame(plot);
    for (size_t i = 0; i < count; i++) {
        char *text = visible_label(names[i], ROW_LETTERS);
        put_text(plot, plot->x.from - 11.8, place(&plot->y, (double)(count - i)) + 3.6,
                 " class=\"end\"", text);
        free(text);
    }
    each_tick(plot, &plot->x, x_number);
    put_x_label(plot, x_label);
}

char *plot_close(struct plot *plot, double *height)
{
    close_path(plot);
    *height = plot->height;
    must(fclose(plot->stream) == 0 ? plot->text : NULL);
    return plot->text;
}
