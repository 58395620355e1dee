#include "drawings.h"

#include "json.h"

#include "harness/report/plot.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_MOST = 7,   /* of a panel; page.css has as many colours, k0 on */
    MARKED_MOST = 24, /* points of a series that has a mark at each */
    CLASS_SIZE = 24,
};

#define SWATCH_WIDTH  26.0
#define SWATCH_HEIGHT 10.0

/* One drawing: the series from first to end of a chart, on the axes of all of them. */
struct panel {
    const json_t *chart, *series;
    size_t first, end;
    struct axis x, y;
    double x_factor, y_factor; /* from the units of the record to those of the axes */
    char x_label[160], y_label[160];
    bool has_peak;
};

/* ---- the axes */

struct range {
    double low, high;
};

static void widen(struct range *range, double value)
{
    range->low = fmin(range->low, value); /* fmin and fmax pass NAN over */
    range->high = fmax(range->high, value);
}

/* `positive`: of a logarithmic axis, which shows nothing else. */
static void widen_by(struct range *range, const json_t *points, const char *const keys[],
                     bool positive)
{
    const json_t *point;
    size_t index;
    json_array_foreach(points, index, point)
    {
        for (size_t i = 0; keys[i] != NULL; i++)
            if (!positive || json_number_at(point, keys[i]) > 0)
                widen(range, json_number_at(point, keys[i]));
    }
}

static bool is_log(const json_t *axis)
{
    return json_is_true(json_object_get(axis, "log"));
}

/* Of all series on the x axis, so that panels can be compared; of the panel's on the y axis. */
static void find_ranges(const struct panel *panel, struct range *x, struct range *y)
{
    static const char *const across[] = {"x", NULL}, *const up[] = {"y", "lo", "hi", NULL};
    const bool positive = is_log(json_object_get(panel->chart, "y"));
    *x = *y = (struct range){.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < json_array_size(panel->series); i++) {
        const json_t *series = json_array_get(panel->series, i),
                     *points = json_object_get(series, "points");
        widen_by(x, points, across, false);
        if (i < panel->first || i >= panel->end)
            continue;
        widen_by(y, points, up, positive);
        widen_by(y, json_object_get(series, "peak"), up, positive);
    }
}

static void add_tick(struct ticks *ticks, double at, const char *text)
{
    if (ticks->count == TICKS_MOST)
        return;
    ticks->at[ticks->count] = at;
    snprintf(ticks->text[ticks->count++], sizeof ticks->text[0], "%s", text);
}

/* "1", "20 k", "0.5 G": a number with the prefix of its unit. */
static const char *prefixed(double value, char *text, size_t size)
{
    static const struct {
        double factor;
        const char *prefix;
    } steps[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"}, {1, ""},
                 {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}, {0, ""}};
    size_t i = 0;
    while (steps[i].factor > value * (1 + 1e-9))
        i++;
    const double factor = steps[i].factor > 0 ? steps[i].factor : 1;
    snprintf(text, size, "%.6g%s%s", value / factor, *steps[i].prefix != '\0' ? " " : "",
             steps[i].prefix);
    return text;
}

/* Powers of ten, and where they are few 2 and 5 times these. */
static void add_decades(struct axis *axis)
{
    static const double steps[] = {1, 2, 5};
    const double decades = log10(axis->high / axis->low);
    char text[sizeof axis->ticks.text[0]];
    for (double power = floor(log10(axis->low)); power <= log10(axis->high); power++)
        for (size_t i = 0; i < (decades < 3 ? 3 : 1); i++) {
            const double at = steps[i] * pow(10, power);
            if (at >= axis->low && at <= axis->high)
                add_tick(&axis->ticks, at, prefixed(at, text, sizeof text));
        }
}

static int by_size(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* "8 KiB" of a size, else the number alone. */
static const char *tick_text(double value, const char *unit, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t step = 0;
    if (strcmp(unit, "B") != 0)
        return prefixed(value, text, size);
    for (; value >= 1024 && step + 1 < sizeof units / sizeof *units; step++)
        value /= 1024;
    snprintf(text, size, "%.4g %s", value, units[step]);
    return text;
}

/* Ticks at the values that were measured: threads, block sizes. False: they are too many. */
static bool add_measured(struct axis *axis, const json_t *all, const char *unit)
{
    double value[TICKS_MOST];
    size_t count = 0, i, k;
    const json_t *series, *point;
    char text[sizeof axis->ticks.text[0]];
    json_array_foreach(all, i, series)
    {
        json_array_foreach(json_object_get(series, "points"), k, point)
        {
            const double x = json_number_at(point, "x");
            size_t known = 0;
            while (known < count && value[known] != x)
                known++;
            if (known == TICKS_MOST)
                return false;
            value[known] = x;
            count += known == count;
        }
    }
    qsort(value, count, sizeof *value, by_size);
    for (i = 0; i < count; i++)
        add_tick(&axis->ticks, value[i], tick_text(value[i], unit, text, sizeof text));
    return true;
}

static void set_label(char *label, size_t size, const char *words, const char *unit)
{
    snprintf(label, size, *unit == '\0' ? "%s" : "%s [%s]", words, unit);
}

static const char *unit_of(const json_t *axis)
{
    const char *unit = json_text_at(axis, "unit");
    return unit == NULL ? "" : unit;
}

static bool is_kind(const struct panel *panel, const char *kind)
{
    return strcmp(json_text_at(panel->chart, "kind"), kind) == 0;
}

/* Threads and block sizes are numbered as they were measured. */
static void set_x(struct panel *panel, struct range range)
{
    const json_t *axis = json_object_get(panel->chart, "x");
    const char *unit = unit_of(axis);
    const bool stepped = is_kind(panel, "scaling") || is_kind(panel, "blocks");
    const bool is_time = strcmp(unit, "s") == 0;
    struct scale scale = {.factor = 1};
    panel->x =
        (struct axis){.low = range.low, .high = range.high, .log = is_log(axis) && range.low > 0};
    if (panel->x.log) {
        const double air = fmax(pow(range.high / range.low, 0.05), 1.1);
        panel->x.low /= air;
        panel->x.high *= air;
    } else {
        if (!is_time)
            scale = scale_of(range.high, unit);
        panel->x.low = 0;
        panel->x.high *= 1.05 * scale.factor;
    }
    panel->x_factor = scale.factor;
    if (!(stepped && scale.factor == 1 && add_measured(&panel->x, panel->series, unit))) {
        if (panel->x.log)
            add_decades(&panel->x);
        else
            plot_ticks(&panel->x);
    }
    plot_thin(&panel->x, 284, false);
    set_label(panel->x_label, sizeof panel->x_label, json_text_at(axis, "label"),
              stepped && strcmp(unit, "B") == 0     ? ""
              : panel->x.log || *scale.unit == '\0' ? unit
                                                    : scale.unit);
}

/* Times in seconds, so that the prefixes of the numbers are right; other units stay. */
static struct scale to_base(const char *unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}};
    struct scale scale = {.factor = 1};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(unit, times[i].unit) == 0)
            scale = (struct scale){.factor = times[i].seconds, .unit = "s"};
    return scale;
}

/* Of what is no course over time, 0 is on the axis: heights can be compared. */
static void set_y(struct panel *panel, struct range range)
{
    const json_t *axis = json_object_get(panel->chart, "y");
    const char *unit = unit_of(axis);
    struct scale scale = {.factor = 1};
    panel->y = (struct axis){
        .low = range.low, .high = range.high, .log = is_log(axis) && range.low < INFINITY};
    if (panel->y.log) {
        scale = to_base(unit);
        panel->y.low *= scale.factor / 1.4;
        panel->y.high *= scale.factor * 1.4;
        add_decades(&panel->y);
        plot_thin(&panel->y, 162, true);
    } else {
        double ends[2] = {0, 1.08 * range.high};
        scale = scale_of(fmax(fabs(range.high), fabs(range.low)), unit);
        if (is_kind(panel, "series"))
            plot_range(range.low, range.high, ends);
        panel->y.low = ends[0] * scale.factor;
        panel->y.high = (ends[1] > ends[0] ? ends[1] : ends[0] + 1) * scale.factor;
        plot_ticks(&panel->y);
    }
    panel->y_factor = scale.factor;
    set_label(panel->y_label, sizeof panel->y_label, json_text_at(axis, "label"),
              *scale.unit == '\0' ? unit : scale.unit);
}

/* Whether the point is on the axes: a logarithmic one has no 0. */
static bool is_shown(const struct panel *panel, const json_t *point)
{
    return !panel->y.log || json_number_at(point, "y") > 0;
}

/* ---- its lines */

static const enum plot_mark marks[LINES_MOST] = {
    MARK_DOT, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND, MARK_RING, MARK_DOT, MARK_SQUARE};

/* How a line looks. */
struct look {
    size_t colour;
    enum plot_mark mark;
};

static bool is_peer_of(const json_t *series, const json_t *ours)
{
    const char *name = json_text_at(ours, "name");
    return json_has(series, "peer") && !json_has(ours, "peer") &&
           strncmp(json_text_at(series, "name"), name, strlen(name)) == 0;
}

/* A peer has the colour of what it is a peer of, where that is in the panel, too. */
static struct look look_of(const struct panel *panel, size_t line)
{
    size_t colour = 0, own[LINES_MOST] = {0};
    for (size_t i = panel->first; i <= line; i++) {
        size_t ours = panel->first;
        while (ours < i &&
               !is_peer_of(json_array_get(panel->series, i), json_array_get(panel->series, ours)))
            ours++;
        own[i - panel->first] = ours < i ? own[ours - panel->first] : colour++;
    }
    return (struct look){own[line - panel->first], marks[line - panel->first]};
}

/* "k2", "k2 peer", "p k2" */
static const char *class_of(char text[CLASS_SIZE], const char *before, struct look look,
                            const char *after)
{
    snprintf(text, CLASS_SIZE, "%sk%zu%s", before, look.colour, after);
    return text;
}

static bool is_marked(const json_t *points)
{
    return json_array_size(points) <= MARKED_MOST;
}

static double place_x(const struct panel *panel, const json_t *point)
{
    return json_number_at(point, "x") * panel->x_factor;
}

static double place_y(const struct panel *panel, const json_t *point, const char *key)
{
    return json_number_at(point, key) * panel->y_factor;
}

/* A lone peak is a short line, as a point would be taken for a figure. */
static void draw_peak(const struct panel *panel, struct plot *plot, const json_t *peak)
{
    const json_t *point;
    size_t index;
    json_array_foreach(peak, index, point)
    {
        plot_to(plot, place_x(panel, point), place_y(panel, point, "y"), index == 0);
    }
    if (json_array_size(peak) == 1) {
        const double y = place_y(panel, json_array_get(peak, 0), "y");
        plot_line(plot, panel->x.low, y, panel->x.high, y);
    }
}

/* The text of a mark and whether it is filled are those of its line. */
static const char *mark_class(char text[CLASS_SIZE], struct look look)
{
    return class_of(text, look.mark == MARK_DOT ? "p " : "m ", look, "");
}

static void draw_line(const struct panel *panel, struct plot *plot, size_t line)
{
    const json_t *series = json_array_get(panel->series, line);
    const struct look look = look_of(panel, line);
    const json_t *points = json_object_get(series, "points"), *point;
    const bool peer = json_has(series, "peer");
    char text[CLASS_SIZE];
    bool begun = false;
    size_t index;
    plot_path(plot, class_of(text, "", look, peer ? " peer" : is_marked(points) ? "" : " thin"));
    json_array_foreach(points, index, point)
    {
        if (is_shown(panel, point))
            plot_to(plot, place_x(panel, point), place_y(panel, point, "y"), !begun);
        begun = begun || is_shown(panel, point);
    }
    plot_path(plot, class_of(text, "w ", look, ""));
    json_array_foreach(points, index, point)
    {
        const double low = place_y(panel, point, "lo"), high = place_y(panel, point, "hi");
        if (!isnan(low) && !isnan(high) && high > panel->y.low)
            plot_error_bar(plot, place_x(panel, point), fmax(low, panel->y.low),
                           fmin(high, panel->y.high), false);
    }
    plot_path(plot, mark_class(text, look));
    json_array_foreach(points, index, point)
    {
        if (is_marked(points) && is_shown(panel, point))
            plot_mark(plot, look.mark, place_x(panel, point), place_y(panel, point, "y"));
    }
}

static char *draw(const struct panel *panel, double *height)
{
    struct plot plot;
    char text[CLASS_SIZE];
    plot_open_axes(&plot, &panel->x, &panel->y, panel->x_label, panel->y_label);
    for (size_t i = panel->first; i < panel->end; i++) {
        plot_path(&plot, class_of(text, "", look_of(panel, i), " peak"));
        draw_peak(panel, &plot, json_object_get(json_array_get(panel->series, i), "peak"));
    }
    for (size_t i = panel->first; i < panel->end; i++)
        draw_line(panel, &plot, i);
    return plot_close(&plot, height);
}

/* ---- what they are */

static void add_legend(json_t *legend, const char *name, struct plot *plot)
{
    double height;
    char *swatch = plot_close(plot, &height);
    json_add(legend, must(json_pack("{s:s, s:s}", "name", name, "swatch", swatch)));
    free(swatch);
}

static json_t *legend_json(const struct panel *panel)
{
    json_t *legend = must(json_array());
    struct plot plot;
    char text[CLASS_SIZE];
    for (size_t i = panel->first; i < panel->end; i++) {
        const json_t *series = json_array_get(panel->series, i);
        const struct look look = look_of(panel, i);
        plot_open_bare(&plot, SWATCH_WIDTH, SWATCH_HEIGHT);
        plot_path(&plot, class_of(text, "", look, json_has(series, "peer") ? " peer" : ""));
        plot_line(&plot, 1, SWATCH_HEIGHT / 2, SWATCH_WIDTH - 1, SWATCH_HEIGHT / 2);
        plot_path(&plot, mark_class(text, look));
        if (is_marked(json_object_get(series, "points")))
            plot_mark(&plot, look.mark, SWATCH_WIDTH / 2, SWATCH_HEIGHT / 2);
        add_legend(legend, json_text_at(series, "name"), &plot);
    }
    if (panel->has_peak) {
        plot_open_bare(&plot, SWATCH_WIDTH, SWATCH_HEIGHT);
        plot_path(&plot, "s7 peak");
        plot_line(&plot, 1, SWATCH_HEIGHT / 2, SWATCH_WIDTH - 1, SWATCH_HEIGHT / 2);
        add_legend(legend, "theoretical peak, in the colour of its line", &plot);
    }
    return legend;
}

static void describe_point(FILE *stream, const struct panel *panel, const json_t *point)
{
    const json_t *x = json_object_get(panel->chart, "x"), *y = json_object_get(panel->chart, "y");
    const double value = json_number_at(point, "y"), low = json_number_at(point, "lo");
    char text[NUMBER_SIZE];
    fputs(tick_text(json_number_at(point, "x"), unit_of(x), text, sizeof text), stream);
    if (isnan(low))
        number_scaled(value, unit_of(y), text);
    else
        number_with_bounds(value, low, json_number_at(point, "hi"), unit_of(y), text);
    fprintf(stream, ": %s", text);
}

/* "triad: 1: 10.2 [10.1, 10.3] GB/s, 2: ...", of a long line its ends. */
static char *describe(const struct panel *panel)
{
    char *text = NULL;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    fprintf(stream, "%s over %s.", panel->y_label, panel->x_label);
    for (size_t i = panel->first; i < panel->end; i++) {
        const json_t *series = json_array_get(panel->series, i),
                     *points = json_object_get(series, "points");
        const size_t count = json_array_size(points);
        fprintf(stream, " %s: ", json_text_at(series, "name"));
        for (size_t k = 0; k < count; k++) {
            if (!is_marked(points) && k > 0 && k + 1 < count)
                continue;
            describe_point(stream, panel, json_array_get(points, k));
            fputs(k + 1 == count ? "." : is_marked(points) ? ", " : " to ", stream);
        }
    }
    must(fclose(stream) == 0 ? text : NULL);
    return text;
}

static bool has_peak(const struct panel *panel)
{
    for (size_t i = panel->first; i < panel->end; i++)
        if (json_array_size(json_object_get(json_array_get(panel->series, i), "peak")) > 0)
            return true;
    return false;
}

static json_t *panel_json(const struct panel *panel)
{
    double height;
    char *svg = draw(panel, &height), *text = describe(panel);
    json_t *json = must(json_pack("{s:s, s:f, s:s, s:o}", "svg", svg, "height", height, "text",
                                  text, "legend", legend_json(panel)));
    free(svg);
    free(text);
    return json;
}

/* Where the panel that begins at `first` ends: about as many lines in each, and peers with what
 * they are peers of. */
static size_t end_of(const json_t *series, size_t first)
{
    const size_t count = json_array_size(series), rest = count - first,
                 panels = (rest + LINES_MOST - 1) / LINES_MOST;
    size_t end = first + (rest + panels - 1) / panels;
    while (end < count && end - first < LINES_MOST && json_has(json_array_get(series, end), "peer"))
        end++;
    return end;
}

/* Points without a line are in the table as well. */
static bool has_line(const json_t *all)
{
    for (size_t i = 0; i < json_array_size(all); i++)
        if (json_array_size(json_object_get(json_array_get(all, i), "points")) > 1)
            return true;
    return false;
}

static void add_panels(json_t *chart)
{
    struct panel panel = {.chart = chart, .series = json_object_get(chart, "series")};
    const size_t count = has_line(panel.series) ? json_array_size(panel.series) : 0;
    json_t *list = must(json_array());
    while (panel.end < count) {
        struct range x, y;
        panel.first = panel.end;
        panel.end = end_of(panel.series, panel.first);
        panel.has_peak = has_peak(&panel);
        find_ranges(&panel, &x, &y);
        set_x(&panel, x);
        set_y(&panel, y);
        json_add(list, panel_json(&panel));
    }
    json_put(chart, "panels", list);
}

void drawings_add(json_t *bench)
{
    json_t *part, *chart;
    size_t i, k;
    json_array_foreach(json_object_get(bench, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "charts"), k, chart) add_panels(chart);
    }
}
