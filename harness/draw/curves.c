// Sensitivity: the slowdown of a target over the levels of its loads, or a row for each load.

#include "draw.h"

#include "common/record_json.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 30 }; // of a chart of slowdowns

#define RATIO_NOTE "Dashed: no slowdown. A ring cannot be distinguished from noise."

static const char *ratio_name(struct arena *arena, const struct item *item)
{
    return item->timed ? "Slowdown" : arena_format(arena, "Ratio of %s", item->name);
}

static const char *ratio_label(struct arena *arena, const struct item *item)
{
    return item->timed ? "slowdown [×]" : arena_format(arena, "%s, ratio [×]", item->name);
}

// "NAME: RATIO IN WORDS; ..."
static const char *times_text(struct arena *arena, const struct items *items,
                              const char *(*name)(const struct item *item))
{
    char *text = NULL;
    for (size_t i = 0; i < items->count; i++)
        text = text_joined(
            text, "; ", arena_format(arena, "%s: %s", name(&items->item[i]), items->item[i].times));
    return arena_keep(arena, text ?: text_of("%s", ""));
}

// Puts the places of the items on the axis: their levels, else their rates. The axis' label; NULL:
// there is no scale, or all are at one place.
static const char *scale_items(struct arena *arena, struct items *items)
{
    bool levels = true, rates = true, differ = false;
    double most = -INFINITY;
    const struct item *first = &items->item[0];
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->item[i];
        levels = levels && !isnan(item->level) && strcmp(item->level_unit, first->level_unit) == 0;
        rates = rates && !isnan(item->offered) && strcmp(item->rate, first->rate) == 0;
        most = fmax(most, item->offered);
    }
    const struct scale scale = scale_of(most, first->rate);
    for (size_t i = 0; i < items->count; i++) {
        struct item *item = &items->item[i];
        item->ratio.at = levels ? item->level : item->offered * scale.factor;
        differ = differ || item->ratio.at != items->item[0].ratio.at;
    }
    if ((!levels && !rates) || !differ)
        return NULL;
    return levels ? axis_label(arena, "level", first->level_unit)
                  : axis_label(arena, "offered", scale.unit);
}

static int by_place(const void *a, const void *b)
{
    const struct item *one = a, *other = b;
    return (one->ratio.at > other->ratio.at) - (one->ratio.at < other->ratio.at);
}

static const char *offers_text(struct arena *arena, const struct items *items)
{
    char number[NUMBER_SIZE], *text = NULL;
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->item[i];
        if (!isnan(item->offered))
            text = text_joined(text, "; ",
                               arena_format(arena, "%s: %s",
                                            json_text_at(item->cell, "level") ?: item->condition,
                                            number_scaled(item->offered, item->rate, number)));
    }
    return text ? arena_format(arena, "offered: %s", (const char *)arena_keep(arena, text)) : "";
}

static void curve_axes(struct arena *arena, struct chart *chart, const struct items *items,
                       const char *label)
{
    double low = 1, high = 1, most = 0;
    for (size_t i = 0; i < items->count; i++) {
        low = fmin(low, items->item[i].ratio.low);
        high = fmax(high, items->item[i].ratio.high);
        most = fmax(most, items->item[i].ratio.at);
    }
    chart->x = axis_airy(0, most, label);
    axis_ticks(arena, &chart->x);
    chart->y = axis_airy(low, high, ratio_label(arena, &items->item[0]));
    axis_ticks(arena, &chart->y);
}

// The curve of one load over its levels; false: it has no scale, or one level.
static bool add_curve(struct arena *arena, struct charts *charts, struct items *items)
{
    const char *label = scale_items(arena, items);
    if (!label)
        return false;
    qsort(items->item, items->count, sizeof *items->item, by_place);
    const struct item *first = &items->item[0];
    struct chart *chart = chart_new(charts);
    chart->group = first->row;
    chart->title = arena_format(arena, "%s of %s over the levels of %s", ratio_name(arena, first),
                                first->row, first->load);
    chart->text = times_text(arena, items, item_condition);
    chart->bold =
        first->main ? first->load : arena_format(arena, "%s, %s", first->name, first->load);
    chart->caption = offers_text(arena, items);
    chart->note = RATIO_NOTE;
    chart->found = arena_format(arena, "%s %s", first->row, first->load);
    curve_axes(arena, chart, items, label);
    part_dashed(chart, chart->x.low, 1, chart->x.high, 1);
    struct points *course = part_line(part_new(chart, "s8"));
    struct ratio *ratios = arena_take(arena, items->count * sizeof *ratios);
    for (size_t i = 0; i < items->count; i++) {
        ratios[i] = items->item[i].ratio;
        part_point(course, ratios[i].at, ratios[i].ratio);
    }
    ratio_parts(chart, ratios, items->count, false);
    return true;
}

// Slowdowns without a scale of levels, a row each: the loads of one target, or the targets under
// one load.
static void add_rows(struct arena *arena, struct charts *charts, const struct items *all,
                     bool by_target)
{
    const char *(*name)(const struct item *item) = by_target ? item_row : item_condition;
    for (size_t from = 0; from < all->count; from += ROWS_MOST) {
        const size_t left = all->count - from;
        const struct items items = {.item = all->item + from,
                                    .count = left < ROWS_MOST ? left : ROWS_MOST};
        const struct item *first = &items.item[0];
        struct ratio *ratios = arena_take(arena, items.count * sizeof *ratios);
        char *found = text_of("%s", by_target ? first->condition : first->row);
        for (size_t i = 0; i < items.count; i++) {
            ratios[i] = items.item[i].ratio;
            ratios[i].name = name(&items.item[i]);
            found = text_joined(found, " ", ratios[i].name);
        }
        struct chart *chart = chart_new(charts);
        chart->group = by_target ? NULL : first->row;
        chart->title = by_target ? arena_format(arena, "%s under %s by target",
                                                ratio_name(arena, first), first->condition)
                                 : arena_format(arena, "%s of %s by load", ratio_name(arena, first),
                                                first->row);
        chart->text = times_text(arena, &items, name);
        chart->bold = by_target ? first->condition : "one level each";
        chart->caption = first->main ? "" : first->name;
        chart->note = RATIO_NOTE;
        chart->found = arena_keep(arena, found);
        ratio_rows(arena, chart, ratios, items.count, ratio_label(arena, first), NAN);
    }
}

// The loads of one target: a curve each, and a chart of the loads without one. Where that would be
// one load alone, it is put to `lone`.
static void add_target(struct arena *arena, struct charts *charts, const struct items *mine,
                       struct items *lone)
{
    struct items single = {.item = arena_take(arena, mine->count * sizeof *single.item)};
    bool curves = false;
    for (size_t i = 0; i < mine->count; i++) {
        if (!items_is_first(mine, i, item_load))
            continue;
        struct items levels = items_same(arena, mine, i, item_load);
        if (add_curve(arena, charts, &levels)) {
            curves = true;
            continue;
        }
        for (size_t k = 0; k < levels.count; k++)
            single.item[single.count++] = levels.item[k];
    }
    if (!curves && single.count == 1)
        lone->item[lone->count++] = single.item[0];
    else
        add_rows(arena, charts, &single, false);
}

void curves_add(struct arena *arena, struct charts *charts, const struct items *all)
{
    struct items known = {.item = arena_take(arena, (all->count + 1) * sizeof *known.item)},
                 lone = {.item = arena_take(arena, (all->count + 1) * sizeof *lone.item)};
    for (size_t i = 0; i < all->count; i++)
        if (!isnan(all->item[i].ratio.ratio))
            known.item[known.count++] = all->item[i];
    for (size_t i = 0; i < known.count; i++) {
        if (!items_is_first(&known, i, item_row))
            continue;
        const struct items mine = items_same(arena, &known, i, item_row);
        add_target(arena, charts, &mine, &lone);
    }
    for (size_t i = 0; i < lone.count; i++) {
        if (!items_is_first(&lone, i, item_condition))
            continue;
        const struct items same = items_same(arena, &lone, i, item_condition);
        add_rows(arena, charts, &same, true);
    }
}
