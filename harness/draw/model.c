// The model of a page: what it has for charts is replaced by what they look like.

#include "draw.h"

#include "common/record_json.h"

#include <stdlib.h>
#include <string.h>

static json_t *keys_of(struct arena *arena, const struct chart *chart)
{
    json_t *keys = must(json_array());
    for (size_t i = 0; i < chart->key_count; i++)
        json_add(keys, must(json_pack("{s:s, s:s}", "svg", drawing_key(arena, &chart->keys[i]),
                                      "name", chart->keys[i].name)));
    return keys;
}

// A chart as the page has it.
static json_t *figure_of(struct arena *arena, const struct chart *chart)
{
    json_t *figure = must(json_object());
    json_put(figure, "title", json_text(chart->title));
    json_put(figure, "text", json_text(chart->text));
    json_put(figure, "bold", json_text(chart->bold));
    json_put(figure, "caption", json_text(chart->caption));
    json_put(figure, "f", json_text(chart->found));
    json_put(figure, "height", json_integer((json_int_t)drawing_height(chart)));
    json_put(figure, "svg", json_text(drawing_of(arena, chart)));
    if (chart->key_count > 0)
        json_put(figure, "keys", keys_of(arena, chart));
    return figure;
}

// Moves charts to the end of all.
static void append(struct charts *all, struct charts *charts)
{
    for (size_t i = 0; i < charts->count; i++)
        *chart_new(all) = charts->item[i];
    free(charts->item);
    *charts = (struct charts){0};
}

static json_t *figures_of(struct arena *arena, const struct charts *charts)
{
    json_t *figures = must(json_array());
    for (size_t i = 0; i < charts->count; i++)
        json_add(figures, figure_of(arena, &charts->item[i]));
    return figures;
}

// [{target, figures}], in the order in which their targets come first; target null: of several.
static json_t *by_target(struct arena *arena, const struct charts *charts)
{
    json_t *groups = must(json_array());
    for (size_t i = 0; i < charts->count; i++) {
        const char *group = charts->item[i].group;
        json_t *found = NULL;
        JSON_EACH (one, groups)
            if (group ? json_text_is(one, "target", group) : !json_text_at(one, "target"))
                found = one;
        if (!found) {
            found = must(json_object());
            json_put(found, "target", json_text(group));
            json_put(found, "figures", must(json_array()));
            json_add(groups, found);
        }
        json_add(json_object_get(found, "figures"), figure_of(arena, &charts->item[i]));
    }
    return groups;
}

// Puts one section's charts into `drawn`, and to the end of all.
static void put_section(struct arena *arena, json_t *drawn, const char *name, struct charts *charts,
                        struct charts *all)
{
    json_put(drawn, name, by_target(arena, charts));
    append(all, charts);
}

// A figure that is spread for each metric of each target.
static void add_spreads(struct arena *arena, struct charts *charts, const struct items *of_metric)
{
    for (size_t i = 0; i < of_metric->count; i++) {
        if (!items_is_first(of_metric, i, item_row))
            continue;
        const struct items same = items_same(arena, of_metric, i, item_row);
        spread_add(arena, charts, &same);
    }
}

static void draw_cells(struct arena *arena, json_t *model, struct charts *all)
{
    OWNED struct item *item = NULL;
    const struct items items = items_of(json_object_get(model, "cells"));
    struct charts sensitivity = {0}, offered = {0}, order = {0}, phase = {0}, spread = {0};
    json_t *drawn = must(json_object());
    item = items.item;
    for (size_t i = 0; i < items.count; i++) {
        order_add(arena, &order, &items.item[i]);
        if (phase_is_known(&items.item[i]))
            phase_add(arena, &phase, &items.item[i]);
        if (!items_is_first(&items, i, item_metric))
            continue;
        const struct items of_metric = items_same(arena, &items, i, item_metric);
        curves_add(arena, &sensitivity, &of_metric);
        add_spreads(arena, &spread, &of_metric);
        if (i == 0)
            offered_add(arena, &offered, &of_metric);
    }
    put_section(arena, drawn, "sensitivity", &sensitivity, all);
    put_section(arena, drawn, "offered", &offered, all);
    put_section(arena, drawn, "order", &order, all);
    put_section(arena, drawn, "phase", &phase, all);
    put_section(arena, drawn, "distributions", &spread, all);
    json_put(model, "drawn", drawn);
}

// The figures of a list of blocks that `add` draws, each to the end of all.
static json_t *draw_blocks(struct arena *arena, const json_t *blocks, struct charts *all,
                           void (*add)(struct arena *arena, struct charts *charts,
                                       const json_t *block))
{
    struct charts charts = {0};
    JSON_EACH (block, blocks)
        add(arena, &charts, block);
    json_t *figures = figures_of(arena, &charts);
    append(all, &charts);
    return figures;
}

static void draw_variants(struct arena *arena, json_t *model, struct charts *all)
{
    JSON_EACH (cell, json_object_get(model, "cells")) {
        json_t *variants = json_object_get(cell, "variants");
        const json_t *charts = json_object_get(variants, "charts");
        if (!json_is_object(variants))
            continue;
        json_put(variants, "figures", draw_blocks(arena, charts, all, variants_add));
    }
}

void model_draw(struct arena *arena, json_t *model, struct charts *all)
{
    JSON_EACH (section, json_object_get(model, "sections"))
        JSON_EACH (block, json_object_get(section, "blocks")) {
            const json_t *charts = json_object_get(block, "charts");
            if (!charts)
                continue;
            json_put(block, "figures", draw_blocks(arena, charts, all, panels_add));
        }
    if (!json_object_get(model, "cells"))
        return;
    draw_variants(arena, model, all);
    draw_cells(arena, model, all);
}

void model_strip(json_t *model)
{
    JSON_EACH (section, json_object_get(model, "sections"))
        JSON_EACH (block, json_object_get(section, "blocks"))
            json_object_del(block, "charts");
    JSON_EACH (cell, json_object_get(model, "cells")) {
        json_object_del(cell, "charts");
        json_object_del(json_object_get(cell, "variants"), "charts");
    }
}
