#include "plot.h"

#include "view.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RIGHT        345.6
#define HEIGHT       220.0
#define TICK         4.1
#define HALF_CAP     2.5
#define MOST_LETTERS 40
#define ROW_LETTERS  18

#define LEFT   61.2
#define BOTTOM 171.6
#define TOP    8.8
/* Of the numbers on an axis. */
#define LETTER_WIDTH 6.2
#define LINE_HEIGHT  13

/* Far outside of any drawing: where a record's figure is without end, or near it. */
#define FARTHEST 1e6

/* 0 at its low end, 1 at its high end. */
static double share(const struct axis *axis, double value)
{
    return axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                     : (value - axis->low) / (axis->high - axis->low);
}

double plot_place(const struct axis *axis, double value)
{
    return axis->from + share(axis, value) * (axis->to - axis->from);
}

/* One decimal, which is a quarter of what the eye sees; "12", not "12.0". Returns
 * the end; a page has millions of them. */
static char *put_short(char *out, double value)
{
    char digits[24];
    size_t count = 0;
    long tenths = lround(fmax(fmin(value, FARTHEST), -FARTHEST) * 10);
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
    raw_line(plot, plot_place(&plot->x, x1), plot_place(&plot->y, y1), plot_place(&plot->x, x2),
             plot_place(&plot->y, y2));
}

void plot_to(struct plot *plot, double x, double y, bool move)
{
    need_path(plot);
    put_point(plot, move ? 'M' : 'L', plot_place(&plot->x, x), plot_place(&plot->y, y));
}

void plot_mark(struct plot *plot, enum plot_mark mark, double x, double y)
{
    const double px = plot_place(&plot->x, x), py = plot_place(&plot->y, y);
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
    case MARK_SQUARE:
        put_point(plot, 'M', px - 3, py - 3);
        fputs("h6v6h-6z", plot->stream);
        break;
    case MARK_TRIANGLE:
        put_point(plot, 'M', px, py - 4);
        fputs("l3.5 6.5h-7z", plot->stream);
        break;
    case MARK_DIAMOND:
        put_point(plot, 'M', px, py - 4);
        fputs("l4 4-4 4-4-4z", plot->stream);
        break;
    }
}

void plot_error_bar(struct plot *plot, double at, double low, double high, bool horizontal)
{
    const struct axis *along = horizontal ? &plot->x : &plot->y;
    const double end[] = {plot_place(along, low), plot_place(along, high)};
    const double across = plot_place(horizontal ? &plot->y : &plot->x, at);
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

void plot_ticks(struct axis *axis)
{
    const double step = tick_step(axis);
    axis->ticks.count = 0;
    for (double i = ceil(axis->low / step - 1e-9);
         i * step <= axis->high + 1e-9 * step && axis->ticks.count < TICKS_MOST; i++) {
        const size_t tick = axis->ticks.count++;
        axis->ticks.at[tick] = fabs(i) < 0.5 ? 0 : i * step;
        snprintf(axis->ticks.text[tick], sizeof axis->ticks.text[tick], "%.6g",
                 axis->ticks.at[tick]);
    }
}

static double width_of(const struct ticks *ticks, size_t tick, bool across)
{
    return across ? LINE_HEIGHT : LETTER_WIDTH * (double)strlen(ticks->text[tick]);
}

void plot_thin(struct axis *axis, double length, bool across)
{
    const struct ticks all = axis->ticks;
    const struct axis at = {.low = axis->low, .high = axis->high, .to = length, .log = axis->log};
    size_t last = 0, end = all.count > 0 ? all.count - 1 : 0;
    axis->ticks.count = 0;
    for (size_t i = 0; i < all.count; i++) {
        const double room = (width_of(&all, i, across) + width_of(&all, last, across)) / 2 + 4,
                     rest = (width_of(&all, i, across) + width_of(&all, end, across)) / 2 + 4;
        if (i > 0 && i < end &&
            (plot_place(&at, all.at[i]) - plot_place(&at, all.at[last]) < room ||
             plot_place(&at, all.at[end]) - plot_place(&at, all.at[i]) < rest))
            continue;
        last = i;
        axis->ticks.at[axis->ticks.count] = all.at[i];
        memcpy(axis->ticks.text[axis->ticks.count++], all.text[i], sizeof all.text[i]);
    }
}

/* Calls draw for each tick of the axis. */
static void each_tick(struct plot *plot, const struct axis *axis,
                      void draw(struct plot *plot, double at, const char *text))
{
    for (size_t i = 0; i < axis->ticks.count; i++)
        draw(plot, plot_place(axis, axis->ticks.at[i]), axis->ticks.text[i]);
}

static void x_tick(struct plot *plot, double at, const char *text)
{
    (void)text;
    raw_line(plot, at, plot->y.from, at, plot->y.from + TICK);
}

static void y_tick(struct plot *plot, double at, const char *text)
{
    (void)text;
    raw_line(plot, plot->x.from, at, plot->x.from - TICK, at);
}

static void x_grid(struct plot *plot, double at, const char *text)
{
    (void)text;
    raw_line(plot, at, plot->y.from, at, plot->y.to);
}

static void y_grid(struct plot *plot, double at, const char *text)
{
    (void)text;
    raw_line(plot, plot->x.from, at, plot->x.to, at);
}

static void x_number(struct plot *plot, double at, const char *text)
{
    put_text(plot, at, plot->y.from + 24.2, "", text);
}

static void y_number(struct plot *plot, double at, const char *text)
{
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
    struct axis x_axis = {.low = x[0], .high = x[1]}, y_axis = {.low = y[0], .high = y[1]};
    plot_ticks(&x_axis);
    plot_ticks(&y_axis);
    plot_open_axes(plot, &x_axis, &y_axis, x_label, y_label);
}

static struct axis placed(const struct axis *axis, double from, double to)
{
    struct axis copy = *axis;
    copy.from = from;
    copy.to = to;
    return copy;
}

void plot_open_axes(struct plot *plot, const struct axis *x, const struct axis *y,
                    const char *x_label, const char *y_label)
{
    *plot =
        (struct plot){.height = HEIGHT, .x = placed(x, LEFT, RIGHT), .y = placed(y, BOTTOM, TOP)};
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

void plot_open_bare(struct plot *plot, double width, double height)
{
    *plot = (struct plot){
        .height = height, .x = {.high = width, .to = width}, .y = {.high = height, .to = height}};
    begin(plot);
}

void plot_open_rows(struct plot *plot, const double x[2], const char *x_label, char *const *names,
                    size_t count)
{
    const double height = 66 + 22 * (double)count;
    *plot =
        (struct plot){.height = height,
                      .x = {.low = x[0], .high = x[1], .from = 129.6, .to = RIGHT},
                      .y = {.low = 0.4, .high = (double)count + 0.6, .from = height - 50, .to = 6}};
    plot_ticks(&plot->x);
    begin(plot);
    plot_path(plot, "g");
    each_tick(plot, &plot->x, x_grid);
    plot_path(plot, "f");
    for (size_t i = 0; i < count; i++)
        y_tick(plot, plot_place(&plot->y, (double)(count - i)), "");
    each_tick(plot, &plot->x, x_tick);
    put_frame(plot);
    for (size_t i = 0; i < count; i++) {
        char *text = visible_label(names[i], ROW_LETTERS);
        put_text(plot, plot->x.from - 11.8, plot_place(&plot->y, (double)(count - i)) + 3.6,
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
