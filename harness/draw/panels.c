// Charts of several lines over an axis: threads, block sizes, copies, time.

#include "draw.h"

#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES_MOST = 7,  // of a panel; page.css has as many colours, k0 on
    MARKED_MOST = 24 // points of a series that has a mark at each
};

struct look {
    const char *line, *mark, *colour;
    enum shape shape;
};

// The lines of one panel, and what they share.
struct panel {
    const json_t *block;
    const json_t *line[2 * LINES_MOST];
    size_t count;
    const char *x_unit, *y_unit;
};

static const json_t *points_of(const json_t *series)
{
    return json_object_get(series, "points");
}

static bool is_peer(const json_t *series)
{
    const json_t *peer = json_object_get(series, "peer");
    return peer && !json_is_null(peer) && !json_is_false(peer);
}

static bool is_marked(const json_t *series)
{
    return json_array_size(points_of(series)) <= MARKED_MOST;
}

static bool kind_is(const json_t *block, const char *kind)
{
    return json_text_is(block, "kind", kind);
}

static bool is_log(const json_t *axis)
{
    return json_is_true(json_object_get(axis, "log"));
}

static int by_value(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

// Threads and block sizes are numbered as they were measured: at most 24 numbers, else none.
static bool measured_ticks(struct arena *arena, struct axis *axis, const json_t *block,
                           const char *unit)
{
    double values[MARKED_MOST + 1];
    size_t count = 0;
    JSON_EACH (series, json_object_get(block, "series"))
        JSON_EACH (point, points_of(series)) {
            const double value = json_number_at(point, "x");
            bool known = false;
            for (size_t i = 0; i < count; i++)
                known = known || values[i] == value;
            if (known)
                continue;
            if (count == MARKED_MOST)
                return false;
            values[count++] = value;
        }
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++)
        axis_tick(axis, values[i], axis_number(arena, values[i], unit));
    return true;
}

static struct axis x_axis(struct arena *arena, const json_t *block)
{
    const json_t *x = json_object_get(block, "x");
    const char *unit = json_text_or_empty(x, "unit"), *shown = unit;
    const bool stepped = kind_is(block, "scaling") || kind_is(block, "blocks");
    struct axis axis = {.low = INFINITY, .high = -INFINITY, .factor = 1};
    JSON_EACH (series, json_object_get(block, "series"))
        JSON_EACH (point, points_of(series)) {
            axis.low = fmin(axis.low, json_number_at(point, "x"));
            axis.high = fmax(axis.high, json_number_at(point, "x"));
        }
    if (is_log(x) && axis.low > 0) {
        const double air = fmax(pow(axis.high / axis.low, 0.05), 1.1);
        axis =
            (struct axis){.low = axis.low / air, .high = axis.high * air, .factor = 1, .log = true};
    } else {
        // Seconds of a course stay seconds.
        const struct scale scale = scale_of(axis.high, strcmp(unit, "s") == 0 ? "" : unit);
        const bool is_course = strcmp(unit, "s") == 0;
        axis.factor = is_course ? 1 : scale.factor;
        axis.low = 0;
        axis.high = axis.high * 1.05 * axis.factor;
        shown = is_course || !*scale.unit ? unit : arena_format(arena, "%s", scale.unit);
    }
    if (!(stepped && axis.factor == 1 && measured_ticks(arena, &axis, block, unit))) {
        axis.tick_count = 0;
        if (axis.log)
            axis_decades(arena, &axis);
        else
            axis_ticks(arena, &axis);
    }
    axis_thin(&axis, 284, false);
    axis.label = axis_label(arena, json_text_or_empty(x, "label"),
                            stepped && strcmp(unit, "B") == 0 ? "" : shown);
    return axis;
}

static void widen(double value, bool log, double *low, double *high)
{
    if (isnan(value) || (log && value <= 0))
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void widen_points(const json_t *points, bool log, double *low, double *high)
{
    JSON_EACH (point, points) {
        widen(json_number_at(point, "y"), log, low, high);
        widen(json_number_at(point, "lo"), log, low, high);
        widen(json_number_at(point, "hi"), log, low, high);
    }
}

// The unit in which a time's prefixes are right: s.
static double to_seconds(const char *unit)
{
    if (strcmp(unit, "ms") == 0)
        return 1e-3;
    if (strcmp(unit, "us") == 0 || strcmp(unit, "µs") == 0)
        return 1e-6;
    return strcmp(unit, "ns") == 0 ? 1e-9 : 1;
}

// A course over time may begin anywhere; of all else 0 is on the axis: heights can be compared.
static struct axis y_axis(struct arena *arena, const struct panel *panel)
{
    const json_t *y = json_object_get(panel->block, "y");
    const char *unit = panel->y_unit, *label = json_text_or_empty(y, "label");
    const bool log = is_log(y);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < panel->count; i++) {
        widen_points(points_of(panel->line[i]), log, &low, &high);
        widen_points(json_object_get(panel->line[i], "peak"), log, &low, &high);
    }
    if (log && low <= high) {
        const double base = to_seconds(unit);
        struct axis axis = {.low = low * base / 1.4, .high = high * base * 1.4, .factor = base};
        axis_decades(arena, &axis);
        axis_thin(&axis, 162, true);
        axis.label = axis_label(arena, label, base < 1 ? "s" : unit);
        return axis;
    }
    const struct scale scale = scale_of(fmax(fabs(high), fabs(low)), unit);
    struct axis axis = kind_is(panel->block, "series") ? axis_airy(low, high, NULL)
                                                       : (struct axis){.high = 1.08 * high};
    if (!(axis.high > axis.low))
        axis.high = axis.low + 1;
    axis = (struct axis){
        .low = axis.low * scale.factor, .high = axis.high * scale.factor, .factor = scale.factor};
    axis_ticks(arena, &axis);
    axis.label =
        axis_label(arena, label, *scale.unit ? arena_format(arena, "%s", scale.unit) : unit);
    return axis;
}

// A peer has the colour of what it is a peer of, where that is in the panel, too.
static void looks_of(struct arena *arena, const struct panel *panel, struct look *looks)
{
    static const enum shape marks[] = {SHAPE_DOT,  SHAPE_SQUARE, SHAPE_TRIANGLE, SHAPE_DIAMOND,
                                       SHAPE_RING, SHAPE_DOT,    SHAPE_SQUARE};
    size_t colour[2 * LINES_MOST], next = 0;
    for (size_t i = 0; i < panel->count; i++) {
        const json_t *series = panel->line[i];
        const char *name = json_text_or_empty(series, "name");
        size_t ours = i;
        for (size_t k = i; k-- > 0 && is_peer(series);)
            if (!is_peer(panel->line[k]) &&
                text_after(name, json_text_or_empty(panel->line[k], "name")))
                ours = k;
        colour[i] = ours < i ? colour[ours] : next++ % LINES_MOST;
        looks[i].shape = marks[i % LINES_MOST];
        looks[i].colour = arena_format(arena, "k%zu", colour[i]);
        looks[i].line = arena_format(arena, "%s%s", looks[i].colour,
                                     is_peer(series)     ? " peer"
                                     : is_marked(series) ? ""
                                                         : " thin");
        looks[i].mark =
            arena_format(arena, "%s %s", looks[i].shape == SHAPE_DOT ? "p" : "m", looks[i].colour);
    }
}

// A lone peak is a line, as a point would be taken for a figure.
static void add_peak(struct arena *arena, struct chart *chart, const json_t *peak,
                     const struct look *look)
{
    struct points *line = part_line(part_new(chart, arena_format(arena, "%s peak", look->colour)));
    JSON_EACH (point, peak)
        part_point(line, json_number_at(point, "x") * chart->x.factor,
                   json_number_at(point, "y") * chart->y.factor);
    if (line->count != 1)
        return;
    line->item[0].x = chart->x.low;
    part_point(line, chart->x.high, line->item[0].y);
}

static void add_series(struct arena *arena, struct chart *chart, const json_t *series,
                       const struct look *look)
{
    const struct axis *y = &chart->y;
    const double across = chart->x.factor;
    struct points shown = {0};
    struct part *bars = part_new(chart, arena_format(arena, "w %s", look->colour));
    JSON_EACH (point, points_of(series)) {
        const double x = json_number_at(point, "x") * across, value = json_number_at(point, "y"),
                     low = json_number_at(point, "lo"), high = json_number_at(point, "hi");
        if (!y->log || value > 0)
            part_point(&shown, x, value * y->factor);
        if (!isnan(low) && !isnan(high) && high * y->factor > y->low)
            part_bar(bars, x, fmax(low * y->factor, y->low), fmin(high * y->factor, y->high));
    }
    struct points *line = part_line(part_new(chart, look->line));
    struct part *marks = part_new(chart, look->mark);
    marks->shape = look->shape;
    for (size_t i = 0; i < shown.count; i++) {
        part_point(line, shown.item[i].x, shown.item[i].y);
        if (is_marked(series))
            part_point(&marks->marks, shown.item[i].x, shown.item[i].y);
    }
    free(shown.item);
}

static const char *point_text(struct arena *arena, const struct panel *panel, const json_t *point)
{
    char number[NUMBER_SIZE];
    const double low = json_number_at(point, "lo"), value = json_number_at(point, "y");
    const char *text = isnan(low) ? number_scaled(value, panel->y_unit, number)
                                  : number_with_bounds(value, low, json_number_at(point, "hi"),
                                                       panel->y_unit, number);
    return arena_format(arena, "%s: %s",
                        axis_number(arena, json_number_at(point, "x"), panel->x_unit), text);
}

// "triad: 1: 10.2 [10.1, 10.3] GB/s, 2: ...", of a long line its ends.
static const char *panel_text(struct arena *arena, const struct panel *panel,
                              const struct chart *chart)
{
    char *text = text_of("%s over %s.", chart->y.label, chart->x.label);
    for (size_t i = 0; i < panel->count; i++) {
        const json_t *points = points_of(panel->line[i]);
        const size_t count = json_array_size(points);
        text = text_added(text, " %s: ", json_text_or_empty(panel->line[i], "name"));
        if (is_marked(panel->line[i])) {
            const char *between = "";
            JSON_EACH (point, points) {
                text = text_added(text, "%s%s", between, point_text(arena, panel, point));
                between = ", ";
            }
        } else {
            text = text_added(text, "%s to %s", point_text(arena, panel, json_array_get(points, 0)),
                              point_text(arena, panel, json_array_get(points, count - 1)));
        }
        text = text_added(text, ".");
    }
    return arena_keep(arena, text);
}

static void add_key(struct chart *chart, struct key key)
{
    chart->keys = grown(chart->keys, chart->key_count, &chart->keys_allocated, sizeof *chart->keys);
    chart->keys[chart->key_count++] = key;
}

static void add_keys(struct arena *arena, struct chart *chart, const struct panel *panel,
                     const struct look *looks)
{
    bool peaks = false;
    for (size_t i = 0; i < panel->count; i++) {
        const json_t *series = panel->line[i];
        const char *line =
            arena_format(arena, "%s%s", looks[i].colour, is_peer(series) ? " peer" : "");
        add_key(chart, (struct key){.look = line,
                                    .mark = is_marked(series) ? looks[i].mark : NULL,
                                    .shape = looks[i].shape,
                                    .name = json_text_or_empty(series, "name")});
        peaks = peaks || json_array_size(json_object_get(series, "peak")) > 0;
    }
    if (peaks)
        add_key(chart, (struct key){.look = "s7 peak",
                                    .name = "theoretical peak, in the colour of its line"});
}

static void add_panel(struct arena *arena, struct charts *charts, const struct panel *panel,
                      size_t number, size_t of)
{
    struct look looks[2 * LINES_MOST];
    struct chart *chart = chart_new(charts);
    chart->title = chart->bold = json_text_or_empty(panel->block, "title");
    chart->found = json_text_or_empty(panel->block, "f");
    chart->x = x_axis(arena, panel->block);
    chart->y = y_axis(arena, panel);
    looks_of(arena, panel, looks);
    for (size_t i = 0; i < panel->count; i++)
        add_peak(arena, chart, json_object_get(panel->line[i], "peak"), &looks[i]);
    for (size_t i = 0; i < panel->count; i++)
        add_series(arena, chart, panel->line[i], &looks[i]);
    add_keys(arena, chart, panel, looks);
    chart->text = panel_text(arena, panel, chart);
    const bool cut = kind_is(panel->block, "series") && chart->y.low > 0;
    const char *part = of > 1 ? arena_format(arena, "%zu of %zu", number, of) : "";
    chart->caption = arena_format(arena, "%s%s%s", part, *part && cut ? "; " : "",
                                  cut ? "the vertical axis does not begin at 0" : "");
}

// From which series on the panel behind the one that begins with `first` is: peers stay with what
// they are peers of.
static size_t panel_end(const json_t *series, size_t first)
{
    const size_t count = json_array_size(series), rest = count - first,
                 panels = (rest + LINES_MOST - 1) / LINES_MOST;
    size_t end = first + (rest + panels - 1) / panels;
    while (end < count && end - first < LINES_MOST && is_peer(json_array_get(series, end)))
        end++;
    return end;
}

static bool has_line(const json_t *series)
{
    JSON_EACH (one, series)
        if (json_array_size(points_of(one)) > 1)
            return true;
    return false;
}

void panels_add(struct arena *arena, struct charts *charts, const json_t *block)
{
    const json_t *series = json_object_get(block, "series");
    const size_t count = json_array_size(series);
    size_t number = 0, of = 0;
    if (!has_line(series))
        return;
    for (size_t first = 0; first < count; first = panel_end(series, first))
        of++;
    for (size_t first = 0; first < count; first = panel_end(series, first)) {
        struct panel panel = {.block = block,
                              .x_unit = json_text_or_empty(json_object_get(block, "x"), "unit"),
                              .y_unit = json_text_or_empty(json_object_get(block, "y"), "unit")};
        for (size_t i = first; i < panel_end(series, first); i++)
            panel.line[panel.count++] = json_array_get(series, i);
        add_panel(arena, charts, &panel, ++number, of);
    }
}
