// The figures of a pack as people read them.

#include "pack.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <math.h>

static bool is_reference(const json_t *row)
{
    return json_is_true(json_object_get(row, "reference"));
}

static json_t *ratio_text(const json_t *row, const char *name)
{
    return is_reference(row)
               ? json_text("1")
               : json_owned_text(study_ratio_text(json_object_get(row, name), "value"));
}

static json_t *percent_text(const json_t *row, const char *name)
{
    const json_t *figure = json_object_get(row, name);
    char text[NUMBER_SIZE];
    const double value = 100 * json_number_at(figure, "value"),
                 low = 100 * json_bound_at(figure, 0), high = 100 * json_bound_at(figure, 1);
    if (isnan(value))
        return json_text("-");
    if (is_reference(row))
        return json_text("100 %");
    return json_text(isnan(low) ? number_scaled(value, "%", text)
                                : number_with_bounds(value, low, high, "%", text));
}

void pack_texts_add(json_t *pack)
{
    JSON_EACH (row, json_object_get(pack, "rows"))
        json_put(row, "texts",
                 must(json_pack("{s:o, s:o, s:o, s:o, s:o}", "copy_s",
                                study_figure_text(json_object_get(row, "copy_s"), "s"), "worst_s",
                                study_figure_text(json_object_get(row, "worst_s"), "s"), "slowdown",
                                ratio_text(row, "slowdown"), "throughput",
                                study_figure_text(json_object_get(row, "throughput"), "1/s"),
                                "efficiency", percent_text(row, "efficiency"))));
}
