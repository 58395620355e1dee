// The figures of a bench as people read them: each number with its unit and error.

#include "bench.h"

#include "common/memory.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <math.h>

static json_t *percent_text(const json_t *object)
{
    char text[NUMBER_SIZE], number[NUMBER_SIZE];
    const double ratio = 100 * json_number_at(object, "ratio"),
                 low = 100 * json_bound_at(object, 0), high = 100 * json_bound_at(object, 1);
    if (isnan(ratio))
        return json_text("-");
    if (isnan(low))
        snprintf(text, sizeof text, "%s ± ? %%",
                 number_fixed(ratio, number_decimals(ratio), number));
    else
        number_with_bounds(ratio, low, high, "%", text);
    return json_text(text);
}

// The texts of a row by the titles of their columns.

static void put_more(json_t *texts, const json_t *row, const char *who)
{
    JSON_EACH (figure, json_object_get(row, "more")) {
        OWNED char *title = text_of("%s%s%s", who, *who ? " " : "", json_text_at(figure, "name"));
        json_put(texts, title, study_figure_text(figure, json_text_at(figure, "unit")));
        if (!json_has(figure, "peak"))
            continue;
        OWNED char *peak = text_of("%s peak", json_text_at(figure, "name")),
                   *share = text_of("%s/peak", title);
        json_put(texts, peak,
                 study_figure_text(json_object_get(figure, "peak"), json_text_at(figure, "unit")));
        json_put(texts, share, percent_text(json_object_get(figure, "of_peak")));
    }
}

static void put_peers(json_t *texts, const json_t *row)
{
    JSON_EACH (peer, json_object_get(row, "peers")) {
        const char *name = json_text_at(peer, "name");
        OWNED char *of_peak = text_of("%s/peak", name), *ours_of = text_of("ours/%s", name);
        json_put(texts, name, study_figure_text(peer, json_text_at(row, "unit")));
        json_put(texts, of_peak, percent_text(json_object_get(peer, "of_peak")));
        json_put(texts, ours_of,
                 json_owned_text(study_ratio_text(json_object_get(peer, "ours_of_peer"), "ratio")));
        put_more(texts, peer, name);
    }
}

static void put_row(json_t *row)
{
    json_t *texts = must(json_deep_copy(json_object_get(row, "labels")));
    const double count = json_number_at(row, "n");
    json_put(texts, "jostle",
             json_has(row, "value") || json_text_is(row, "state", "done")
                 ? study_figure_text(row, json_text_at(row, "unit"))
                 : json_text(json_text_at(row, "state")));
    json_put(texts, "n", count > 0 ? json_owned_text(text_of("%.0f", count)) : json_text("-"));
    json_put(texts, "peak",
             json_has(row, "peak")
                 ? study_figure_text(json_object_get(row, "peak"), json_text_at(row, "unit"))
                 : json_text("-"));
    json_put(texts, "ours/peak", percent_text(json_object_get(row, "of_peak")));
    put_peers(texts, row);
    put_more(texts, row, "");
    json_put(row, "texts", texts);
}

void bench_texts_add(json_t *bench)
{
    JSON_EACH (part, json_object_get(bench, "parts"))
        JSON_EACH (row, json_object_get(part, "rows"))
            put_row(row);
}
