// The ratios of variants to the reference, a row each.

#include "draw.h"

#include "common/record_json.h"

enum { VARIANTS_MOST = 40 }; // rows of a chart

void variants_add(struct arena *arena, struct charts *charts, const json_t *block)
{
    const json_t *points = json_object_get(block, "points");
    const char *metric = json_text_or_empty(block, "metric");
    struct ratio ratios[VARIANTS_MOST];
    size_t count = 0;
    char *text = NULL;
    JSON_EACH (point, points) {
        if (count == VARIANTS_MOST)
            break;
        ratios[count++] = (struct ratio){.name = json_text_or_empty(point, "name"),
                                         .ratio = json_number_at(point, "ratio"),
                                         .low = json_number_at(point, "low"),
                                         .high = json_number_at(point, "high"),
                                         .sure = json_is_true(json_object_get(point, "sure"))};
        text = text_joined(text, "; ",
                           arena_format(arena, "%s: %s", ratios[count - 1].name,
                                        json_text_or_empty(point, "times")));
    }
    if (count == 0)
        return;
    struct chart *chart = chart_new(charts);
    chart->title = arena_format(arena, "Ratio of %s of each variant to the reference", metric);
    chart->text = arena_keep(arena, text);
    chart->bold = chart->found = metric;
    chart->caption = "ratio to the reference";
    chart->note =
        "Dashed: no difference, and the limit of a gate. A ring is not clearly different.";
    ratio_rows(arena, chart, ratios, count, "ratio, above 1 is worse [×]",
               json_number_at(block, "limit"));
}
