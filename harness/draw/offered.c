// Offered and achieved rates: a load that cannot do what it offers is a smaller load.

#include "draw.h"

#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

enum { NAMED_MOST = 12 };

static bool is_rated(const struct item *item)
{
    return !isnan(item->offered) && !isnan(item->achieved);
}

// Whether both are the same load with rates in the same unit.
static bool is_same(const struct item *one, const struct item *other)
{
    return strcmp(one->load, other->load) == 0 && strcmp(one->rate, other->rate) == 0;
}

// Rates on an axis have few digits, whatever their unit.
static struct scale axis_scale(double value, const char *unit)
{
    struct scale scale = scale_of(value, unit), shown = scale;
    const double size = value * scale.factor, factor = size >= 1e7 ? 1e-6 : size >= 1e4 ? 1e-3 : 1;
    if (factor < 1) {
        *shown.unit = '\0';
        text_append(shown.unit, sizeof shown.unit, "", "%s %s",
                    factor < 1e-3 ? "million" : "thousand", scale.unit);
    }
    shown.factor *= factor;
    return shown;
}

static const char *figures_text(struct arena *arena, const struct items *items)
{
    char *text = NULL;
    if (items->count > NAMED_MOST)
        return arena_format(
            arena, "%zu points, one for each cell; the figures are in the table of every cell",
            items->count);
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->item[i];
        char achieved[NUMBER_SIZE], offered[NUMBER_SIZE];
        number_scaled(item->achieved, item->rate, achieved);
        number_scaled(item->offered, item->rate, offered);
        text = text_joined(
            text, "; ",
            arena_format(arena, "%s, %s: %s of %s", item->row, item->condition, achieved, offered));
    }
    return arena_keep(arena, text);
}

static const char *found_text(struct arena *arena, const struct items *items)
{
    char *text = text_of("%s", items->item[0].load);
    for (size_t i = 0; i < items->count; i++)
        if (items_is_first(items, i, item_row))
            text = text_joined(text, " ", items->item[i].row);
    return arena_keep(arena, text);
}

static void add_chart(struct arena *arena, struct charts *charts, const struct items *items)
{
    const struct item *first = &items->item[0];
    struct chart *chart = chart_new(charts);
    size_t missed = 0;
    double highest = 0;
    for (size_t i = 0; i < items->count; i++) {
        missed += json_is_true(json_object_get(items->item[i].cell, "short"));
        highest = fmax(highest, fmax(items->item[i].offered, items->item[i].achieved));
    }
    chart->title = arena_format(arena, "Offered and achieved rate of %s", first->load);
    chart->bold = first->load;
    chart->found = found_text(arena, items);
    chart->text = figures_text(arena, items);
    chart->note = "A point for each cell; below the dashed line a load fell short.";
    chart->caption = missed == 0
                         ? "achieved what was offered"
                         : arena_format(arena, "%zu of %zu cells fell short", missed, items->count);
    const struct scale scale = axis_scale(highest, first->rate);
    const char *unit = arena_format(arena, "%s", scale.unit);
    const struct axis axis = {.high = axis_airy(0, highest * scale.factor, NULL).high, .factor = 1};
    chart->x = chart->y = axis;
    chart->x.label = axis_label(arena, "offered", unit);
    chart->y.label = axis_label(arena, "achieved", unit);
    axis_ticks(arena, &chart->x);
    axis_ticks(arena, &chart->y);
    part_dashed(chart, 0, 0, axis.high, axis.high);
    struct part *marks = part_new(chart, "p s2");
    marks->shape = SHAPE_DOT;
    for (size_t i = 0; i < items->count; i++)
        part_point(&marks->marks, items->item[i].offered * scale.factor,
                   items->item[i].achieved * scale.factor);
}

void offered_add(struct arena *arena, struct charts *charts, const struct items *all)
{
    bool *drawn = arena_take(arena, all->count + 1);
    for (size_t i = 0; i < all->count; i++) {
        if (drawn[i] || !is_rated(&all->item[i]))
            continue;
        struct items same = {.item = arena_take(arena, (all->count - i) * sizeof *same.item)};
        for (size_t k = i; k < all->count; k++)
            if (is_rated(&all->item[k]) && is_same(&all->item[i], &all->item[k])) {
                same.item[same.count++] = all->item[k];
                drawn[k] = true;
            }
        add_chart(arena, charts, &same);
    }
}
