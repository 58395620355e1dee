// The runs of a cell in order, where a drift, a step or an outlier shows, and by the phase of a
// load that changes with time.

#include "draw.h"

#include "common/record_json.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *capital(struct arena *arena, const char *text)
{
    return *text ? arena_format(arena, "%c%s", toupper((unsigned char)*text), text + 1) : text;
}

static const char *extent_text(struct arena *arena, const struct item *item, const char *which)
{
    double extent[3];
    char low[NUMBER_SIZE], middle[NUMBER_SIZE], high[NUMBER_SIZE];
    if (!runs_extent(item, which, extent))
        return "-";
    number_scaled(extent[0], item->unit, low);
    number_scaled(extent[1], item->unit, middle);
    number_scaled(extent[2], item->unit, high);
    return arena_format(arena, "%s to %s, median %s", low, high, middle);
}

static void words_of(struct arena *arena, struct chart *chart, const struct item *item,
                     size_t count, bool thinned)
{
    const bool loaded = json_is_object(json_object_get(item->metric, "loaded"));
    const char *name = json_text_at(item->cell, "condition");
    chart->group = item->row;
    chart->title = arena_format(arena, "Runs of %s in order%s%s%s%s", item->row,
                                loaded ? ", alone and under " : "", loaded ? name ?: "" : "",
                                item->main ? "" : ": ", item->main ? "" : item->name);
    chart->text = arena_format(arena, "%s over the number of the run. Alone: %s%s%s.",
                               capital(arena, item->name), extent_text(arena, item, "alone"),
                               loaded ? "; under load: " : "",
                               loaded ? extent_text(arena, item, "loaded") : "");
    chart->bold = name ?: "alone";
    chart->note =
        "Dots: alone. Crosses: under load. Rings: runs that have a flag, or are in no figure.";
    chart->caption = arena_format(
        arena, "%s%s%zu runs%s", item->main ? "" : item->name, item->main ? "" : ", ", count,
        thinned
            ? ", too many to draw: of neighbours the fastest, the slowest and the first are shown"
            : "");
    chart->found = arena_format(arena, "%s %s %s", item->row, name ?: "",
                                json_text_or_empty(item->cell, "load"));
}

static void add_marks(struct chart *chart, const char *look, enum shape shape,
                      const struct run_list *runs, double factor, bool flagged)
{
    struct part *part = part_new(chart, look);
    part->shape = shape;
    for (size_t i = 0; i < runs->count; i++)
        if (!flagged || runs->item[i].flagged)
            part_point(&part->marks, runs->item[i].order, runs->item[i].value * factor);
}

static void widen(const struct run_list *runs, struct point *low, struct point *high)
{
    for (size_t i = 0; i < runs->count; i++) {
        low->x = fmin(low->x, runs->item[i].order);
        high->x = fmax(high->x, runs->item[i].order);
        low->y = fmin(low->y, runs->item[i].value);
        high->y = fmax(high->y, runs->item[i].value);
    }
}

static void draw_order(struct arena *arena, struct chart *chart, const struct item *item,
                       const struct run_list *alone, const struct run_list *loaded)
{
    double extent[3] = {0};
    if (!runs_extent(item, "loaded", extent))
        runs_extent(item, "alone", extent);
    const struct scale scale = scale_of(extent[2] > 0 ? extent[2] : 0, item->unit);
    struct point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    widen(alone, &low, &high);
    widen(loaded, &low, &high);
    if (low.x > high.x)
        low = high = (struct point){1, 1};
    chart->x = (struct axis){.low = low.x - 1, .high = high.x + 1, .factor = 1, .label = "run"};
    chart->y = axis_airy(low.y * scale.factor, high.y * scale.factor,
                         axis_label(arena, item->name, scale.unit));
    axis_ticks(arena, &chart->x);
    axis_ticks(arena, &chart->y);
    add_marks(chart, "r s3", SHAPE_RING, alone, scale.factor, true);
    add_marks(chart, "r s3", SHAPE_RING, loaded, scale.factor, true);
    add_marks(chart, "p s1", SHAPE_DOT, alone, scale.factor, false);
    add_marks(chart, "x s2", SHAPE_CROSS, loaded, scale.factor, false);
}

void order_add(struct arena *arena, struct charts *charts, const struct item *item)
{
    const char *reference = runs_reference(item), *under = runs_under(item);
    const bool same = strcmp(reference, under) == 0;
    const struct run_list alone = runs_of(item, reference),
                          loaded = same ? (struct run_list){0} : runs_of(item, under),
                          few = runs_thinned(&alone), few_loaded = runs_thinned(&loaded);
    struct chart *chart = chart_new(charts);
    const size_t count = alone.count + loaded.count;
    words_of(arena, chart, item, count, few.count + few_loaded.count < count);
    draw_order(arena, chart, item, &few, &few_loaded);
    free(alone.item);
    free(loaded.item);
    free(few.item);
    free(few_loaded.item);
}

bool phase_is_known(const struct item *item)
{
    const json_t *phases =
        json_object_get(json_object_get(item->runs, runs_under(item)), "phase_s");
    if (!(json_number_at(json_object_get(item->metric, "alone"), "median") > 0) ||
        !json_is_object(json_object_get(item->metric, "loaded")))
        return false;
    JSON_EACH (phase, phases)
        if (!json_equal(phase, json_array_get(phases, 0)))
            return true;
    return false;
}

// The runs that figures are made of, as multiples of the baseline's median, over their phases.
static struct points by_phase(const struct item *item)
{
    const double median = json_number_at(json_object_get(item->metric, "alone"), "median");
    struct run_list runs = runs_of(item, runs_under(item)), few = runs_thinned(&runs);
    struct points points = {0};
    for (size_t i = 0; i < few.count; i++)
        if (few.item[i].used && !isnan(few.item[i].phase_s))
            part_point(&points, few.item[i].phase_s, few.item[i].value / median);
    free(runs.item);
    free(few.item);
    return points;
}

void phase_add(struct arena *arena, struct charts *charts, const struct item *item)
{
    struct points points = by_phase(item);
    const char *name = json_text_or_empty(item->cell, "condition");
    struct chart *chart = chart_new(charts);
    double low = INFINITY, high = -INFINITY, longest_s = 1e-9;
    char least[NUMBER_SIZE], most[NUMBER_SIZE];
    for (size_t i = 0; i < points.count; i++) {
        low = fmin(low, points.item[i].y);
        high = fmax(high, points.item[i].y);
        longest_s = fmax(longest_s, points.item[i].x);
    }
    chart->group = item->row;
    chart->title = arena_format(arena, "Runs of %s under %s by phase%s%s", item->row, name,
                                item->main ? "" : ": ", item->main ? "" : item->name);
    chart->text = arena_format(
        arena,
        "%s of each run as a multiple of the baseline's median, from %s to %s "
        "times, over the phase of the load.",
        capital(arena, item->name), number_fixed(low, 2, least), number_fixed(high, 2, most));
    chart->bold = name;
    chart->caption = arena_format(arena, "%s%s%zu runs", item->main ? "" : item->name,
                                  item->main ? "" : ", ", points.count);
    chart->found =
        arena_format(arena, "%s %s %s", item->row, name, json_text_or_empty(item->cell, "load"));
    const struct scale scale = scale_of(longest_s, "s");
    chart->x = (struct axis){.high = longest_s * 1.02 * scale.factor,
                             .factor = 1,
                             .label = axis_label(arena, "phase of the load", scale.unit)};
    chart->y = axis_airy(fmin(1, low), fmax(1, high),
                         arena_format(arena, "%s / median alone", item->name));
    axis_ticks(arena, &chart->x);
    axis_ticks(arena, &chart->y);
    struct part *part = part_new(chart, "x s2");
    part->shape = SHAPE_CROSS;
    for (size_t i = 0; i < points.count; i++)
        part_point(&part->marks, points.item[i].x * scale.factor, points.item[i].y);
    free(points.item);
}
