// The curves of a part, with the figures of its cells.

#include "bench.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>

// What a point shows of its row, or of a peer of it: an object with value and ci.
static const json_t *figure_of(const json_t *point, const json_t *row, const char *peer)
{
    const char *figure = json_text_at(point, "figure");
    const json_t *of = !peer ? row : json_named(json_object_get(row, "peers"), "name", peer);
    return !figure ? of : json_named(json_object_get(of, "more"), "name", figure);
}

static json_t *point_json(double x, double y, const json_t *figure)
{
    return must(json_pack("{s:o, s:o, s:o, s:o}", "x", json_number(x), "y", json_number(y), "lo",
                          json_number(json_bound_at(figure, 0)), "hi",
                          json_number(json_bound_at(figure, 1))));
}

static const json_t *row_of(const struct collected *source, const json_t *point)
{
    return json_named(source->rows, "cell", json_text_at(point, "cell"));
}

// Where on the x axis a point is; NAN: nowhere.
static double x_of(const struct collected *source, const json_t *point)
{
    return json_has(point, "x") ? json_number_at(point, "x")
                                : json_number_at(source->loads, json_text_at(point, "cell"));
}

// A curve of our command, with the theoretical peaks of the rows whose main figure its points are,
// or of a peer; without a point there is none.
static void add_series(json_t *built, const struct collected *source, const json_t *series,
                       const char *peer)
{
    json_t *points = must(json_array()), *peaks = must(json_array());
    JSON_EACH (point, json_object_get(series, "points")) {
        const json_t *row = row_of(source, point), *figure = figure_of(point, row, peer);
        const double x = x_of(source, point), y = json_number_at(figure, "value"),
                     peak = json_number_at(json_object_get(row, "peak"), "value");
        if (!isnan(x) && !isnan(y))
            json_add(points, point_json(x, y, figure));
        if (!peer && !json_has(point, "figure") && !isnan(x) && !isnan(peak))
            json_add(peaks,
                     must(json_pack("{s:o, s:o}", "x", json_number(x), "y", json_number(peak))));
    }
    OWNED char *name =
        text_of("%s%s%s", json_text_at(series, "name"), peer ? ", " : "", peer ? peer : "");
    if (json_array_size(points) > 0)
        json_add(json_object_get(built, "series"),
                 must(json_pack("{s:s, s:s?, s:O, s:O}", "name", name, "peer", peer, "points",
                                points, "peak", peaks)));
    json_decref(points);
    json_decref(peaks);
}

json_t *chart_build(const struct collected *source, const json_t *chart)
{
    json_t *built =
        must(json_pack("{s:O, s:O, s:O, s:O, s:[]}", "kind", json_object_get(chart, "kind"),
                       "title", json_object_get(chart, "title"), "x", json_object_get(chart, "x"),
                       "y", json_object_get(chart, "y"), "series"));
    JSON_EACH (series, json_object_get(chart, "series")) {
        json_auto_t *seen = must(json_object());
        add_series(built, source, series, NULL);
        JSON_EACH (point, json_object_get(series, "points"))
            JSON_EACH (peer, json_object_get(row_of(source, point), "peers")) {
                const char *name = json_text_at(peer, "name");
                if (!json_has(seen, name))
                    add_series(built, source, series, name);
                json_put(seen, name, json_true());
            }
    }
    return built;
}

json_t *chart_of_series(const struct measured *measured, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure");
    const struct sequence sequence = sequence_read(measured, cell);
    json_t *points = must(json_array());
    for (size_t i = 0; i < sequence.count; i++)
        json_add(points, point_json(sequence.item[i].time_s, sequence.item[i].value, NULL));
    free(sequence.item);
    if (json_array_size(points) == 0) {
        json_decref(points);
        return NULL;
    }
    OWNED char *title = text_of("%s over time", json_text_at(cell, "cell"));
    return must(json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:n, s:o, s:[]}]}", "kind",
        "series", "title", title, "x", "label", "time", "unit", "s", "log", 0, "y", "label",
        json_text_at(figure, "name"), "unit", json_text_at(figure, "unit"), "log", 0, "series",
        "name", json_text_at(cell, "cell"), "peer", "points", points, "peak"));
}
