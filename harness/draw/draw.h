#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "common/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Charts: from figures to drawings, 360 units wide, in SVG. Colours are classes of report/page.css.
// Texts live in an arena until the end; lists of a chart until charts_free().

// ---- a chart as figures

struct point {
    double x, y;
};

struct points {
    struct point *item;
    size_t count, allocated;
};

// A stroke from low to high at a place on the other axis.
struct bar {
    double at, low, high;
};

enum shape {
    SHAPE_NONE,
    SHAPE_DOT,
    SHAPE_RING,
    SHAPE_CROSS,
    SHAPE_SQUARE,
    SHAPE_TRIANGLE,
    SHAPE_DIAMOND
};

// What is drawn in one look: lines, bars and marks.
struct part {
    const char *look; // its class
    struct points *lines;
    size_t line_count, lines_allocated;
    struct bar *bars;
    size_t bar_count, bars_allocated;
    struct points marks;
    enum shape shape;
};

struct tick {
    double at;
    const char *text;
};

struct axis {
    double low, high;
    double factor; // from the values of the record to those on the axis
    bool log;
    struct tick *ticks;
    size_t tick_count, ticks_allocated;
    const char *label;
};

// A line of the legend: what it looks like, its mark (SHAPE_NONE: it has none), what it means.
struct key {
    const char *look, *mark, *name;
    enum shape shape;
};

struct chart {
    const char *title, *text; // for who cannot see it
    const char *bold, *caption;
    const char *note;  // what its marks mean, where the text of a page says so once for all
    const char *group; // the target that it belongs to; NULL: it is of several
    const char *found; // what the filter of the page finds it by
    const char **rows; // names on the vertical axis, the highest first; NULL: y is an axis
    size_t row_count;
    struct axis x, y;
    struct part *parts;
    size_t part_count, parts_allocated;
    struct key *keys;
    size_t key_count, keys_allocated;
};

struct charts {
    struct chart *item;
    size_t count, allocated;
};

// ---- axes (axis.c)

// From the lowest to the highest value with some air.
struct axis axis_airy(double low, double high, const char *label);
// At most seven ticks, by steps of 1, 2 or 5 times a power of ten.
void axis_ticks(struct arena *arena, struct axis *axis);
// Ticks at powers of ten, and where they are few at 2 and 5 times these. The axis is logarithmic.
void axis_decades(struct arena *arena, struct axis *axis);
void axis_tick(struct axis *axis, double at, const char *text);
// Leaves only ticks whose texts do not touch on an axis of that length: the first, the last, and as
// many as fit between them. across: it is the vertical one.
void axis_thin(struct axis *axis, double length, bool across);
// Where a value is on the axis: 0 at its low end, 1 at its high one.
double axis_share(const struct axis *axis, double value);
// "what [unit]"
const char *axis_label(struct arena *arena, const char *what, const char *unit);
// "20 k", "0.5 G": a number with the prefix of its unit; "8 KiB" of a size.
const char *axis_number(struct arena *arena, double value, const char *unit);

// ---- charts and parts (parts.c)

// A chart behind those that there are; its pointer holds until the next one.
struct chart *chart_new(struct charts *charts);
void charts_free(struct charts *charts);

struct part *part_new(struct chart *chart, const char *look);
void part_point(struct points *points, double x, double y);
// Sorts points by x, the lowest first.
void points_sort(struct points *points);
// A line without points behind those that the part has.
struct points *part_line(struct part *part);
void part_bar(struct part *part, double at, double low, double high);
// A dashed line from one point to another.
void part_dashed(struct chart *chart, double x1, double y1, double x2, double y2);

// A ratio with its interval: low and high are bounds; sure: there is an effect.
struct ratio {
    const char *name;
    double at; // its place on the axis that is not the ratio's
    double ratio, low, high;
    bool sure;
};

// Dots, and rings for those that cannot be told from noise.
void ratio_parts(struct chart *chart, const struct ratio *items, size_t count, bool horizontal);
// A row for each ratio; dashed lines at 1 and, where it is near, at the limit (NAN: there is none).
void ratio_rows(struct arena *arena, struct chart *chart, struct ratio *items, size_t count,
                const char *label, double limit);

// ---- drawings (drawing.c)

// The height of the drawing, which is 360 wide.
double drawing_height(const struct chart *chart);
// What is inside of its SVG element, in the arena.
const char *drawing_of(struct arena *arena, const struct chart *chart);
// The line and mark of a legend, 26 wide and 10 high.
const char *drawing_key(struct arena *arena, const struct key *key);
// A text inside of an element of XML: mark-up becomes text, what is hidden visible.
const char *xml_text(struct arena *arena, const char *text);

// ---- what is drawn

// A block of lines over an axis, {kind, title, f, x: {label, unit, log}, y, series: [{name, peer,
// points: [{x, y, lo, hi}], peak}]}, as one chart, or several where it would have too many lines;
// none where no series has two points: those are in the table as well (panels.c).
void panels_add(struct arena *arena, struct charts *charts, const json_t *block);

// A cell of a report and a metric of it that is drawn (items.c).
struct item {
    const json_t *cell, *metric, *runs; // runs of the experiment, by condition
    const char *row, *condition, *load, *rate, *name, *unit;
    double level, offered, achieved; // NAN: not known
    const char *level_unit;
    struct ratio ratio;
    const char *times; // the ratio in words
    bool main, timed;
};

struct items {
    struct item *item;
    size_t count, allocated;
};

// Lists the items of all cells, in order; item is to be freed.
struct items items_of(const json_t *cells);
// Selects the items of `all`, from `first` on, that have the same text as that one.
struct items items_same(struct arena *arena, const struct items *all, size_t first,
                        const char *(*text)(const struct item *item));
// Whether no item before this one has the same text.
bool items_is_first(const struct items *all, size_t at,
                    const char *(*text)(const struct item *item));
const char *item_row(const struct item *item);
const char *item_metric(const struct item *item);
const char *item_load(const struct item *item);
const char *item_condition(const struct item *item);

// Adds for each target a curve for each load that has levels, and one chart of the others; targets
// that have one load with one level share charts, a row for each (curves.c).
void curves_add(struct arena *arena, struct charts *charts, const struct items *all);
// Offered and achieved rate of each load (offered.c).
void offered_add(struct arena *arena, struct charts *charts, const struct items *all);

// A run of a condition that has the metric (runs.c).
struct run {
    double order, value, phase_s; // NAN: its load has no phases
    bool flagged, used;
};

struct run_list {
    struct run *item;
    size_t count, allocated;
};

struct run_list runs_of(const struct item *item, const char *condition);
// Keeps, where there are more than can be drawn, only the lowest, the highest and the first of each
// few neighbours.
struct run_list runs_thinned(const struct run_list *runs);
// The conditions with and without load.
const char *runs_reference(const struct item *item);
const char *runs_under(const struct item *item);
// Gives the values of the used runs of the condition as multiples of the baseline's median, in
// order of size.
struct points runs_multiples(const struct item *item, const char *condition);
// {min, median, max} of alone or loaded; false: the cell has none.
bool runs_extent(const struct item *item, const char *which, double extent[3]);

// The runs of a cell in order, and by the phase of its load (order.c).
void order_add(struct arena *arena, struct charts *charts, const struct item *item);
bool phase_is_known(const struct item *item);
void phase_add(struct arena *arena, struct charts *charts, const struct item *item);
// Spread of the runs of a target, a row alone and one for each load (spread.c).
void spread_add(struct arena *arena, struct charts *charts, const struct items *same);
// Ratios of variants to the reference (variants.c): a chart of a report's cell.
void variants_add(struct arena *arena, struct charts *charts, const json_t *block);

// ---- models

// Replaces what a model of a page has for charts by figures, and appends the charts to `all`
// (model.c): blocks {charts} become {figures}; the charts of a report's cells become
// .drawn = {sensitivity, offered, order, phase, distributions}, and those of its variants .figures.
// The charts have texts of the model.
void model_draw(struct arena *arena, json_t *model, struct charts *all);
// Takes away what the figures were made of: the charts are at an end.
void model_strip(json_t *model);
// All charts under one another as one picture, a document of SVG; style is the text of page.css
// (picture.c). Returns a text in the arena.
const char *picture_of(struct arena *arena, const struct charts *charts, const char *style);

#endif
