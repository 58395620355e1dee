#include "charts.h"

#include "json.h"
#include "series.h"

#include "harness/report/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The element of a list whose member `key` is that text; NULL: none. */
static const json_t *element(const json_t *list, const char *key, const char *text)
{
    const json_t *one;
    size_t index;
    json_array_foreach(list, index, one)
    {
        const char *its = json_text_at(one, key);
        if (its != NULL && strcmp(its, text) == 0)
            return one;
    }
    return NULL;
}

/* What the point shows: an object with value and ci. */
static const json_t *figure_of(const json_t *point, const json_t *rows)
{
    const char *peer = json_text_at(point, "peer"), *figure = json_text_at(point, "figure");
    const json_t *of = element(rows, "cell", json_text_at(point, "cell"));
    if (peer != NULL)
        of = element(json_object_get(of, "peers"), "name", peer);
    return figure == NULL ? of : element(json_object_get(of, "more"), "name", figure);
}

static json_t *point_json(double x, double y, const json_t *ci)
{
    return must(json_pack(
        "{s:o, s:o, s:o, s:o}", "x", json_number(x), "y", json_number(y), "lo",
        json_number(json_is_array(ci) ? json_number_value(json_array_get(ci, 0)) : NAN), "hi",
        json_number(json_is_array(ci) ? json_number_value(json_array_get(ci, 1)) : NAN)));
}

/* Where on the x axis it is; NAN: nowhere. */
static double x_of(const json_t *point, const json_t *loads)
{
    return json_has(point, "x") ? json_number_at(point, "x")
                                : json_number_at(loads, json_text_at(point, "cell"));
}

static json_t *points_json(const json_t *points, const json_t *rows, const json_t *loads)
{
    json_t *list = must(json_array());
    const json_t *point;
    size_t index;
    json_array_foreach(points, index, point)
    {
        const json_t *figure = figure_of(point, rows);
        const double x = x_of(point, loads), y = json_number_at(figure, "value");
        if (!isnan(x) && !isnan(y))
            json_add(list, point_json(x, y, json_object_get(figure, "ci")));
    }
    return list;
}

/* [{x, y}]: the theoretical peaks of the rows whose main figure the points are. */
static json_t *peaks_json(const json_t *points, const json_t *rows, const json_t *loads)
{
    json_t *list = must(json_array());
    const json_t *point;
    size_t index;
    json_array_foreach(points, index, point)
    {
        const json_t *row = element(rows, "cell", json_text_at(point, "cell"));
        const double x = x_of(point, loads),
                     y = json_number_at(json_object_get(row, "peak"), "value");
        if (!json_has(point, "figure") && !isnan(x) && !isnan(y))
            json_add(list, must(json_pack("{s:o, s:o}", "x", json_number(x), "y", json_number(y))));
    }
    return list;
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    const char *one = json_text_at(a, key), *other = json_text_at(b, key);
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

/* Whether the chart has a point of that cell, figure and peer. */
static bool has_point(const json_t *chart, const json_t *point)
{
    const json_t *series, *its;
    size_t i, k;
    json_array_foreach(json_object_get(chart, "series"), i, series)
    {
        json_array_foreach(json_object_get(series, "points"), k, its)
        {
            if (same_text(its, point, "cell") && same_text(its, point, "figure") &&
                same_text(its, point, "peer"))
                return true;
        }
    }
    return false;
}

/* The points of a series as those of a peer, but for those that the chart has anyway. */
static json_t *points_of_peer(const json_t *chart, const json_t *points, const char *peer)
{
    json_t *list = must(json_array());
    const json_t *point;
    size_t index;
    json_array_foreach(points, index, point)
    {
        json_t *of_peer = must(json_copy((json_t *)point));
        json_put(of_peer, "peer", json_text(peer));
        if (has_point(chart, of_peer))
            json_decref(of_peer);
        else
            json_add(list, of_peer);
    }
    return list;
}

/* Takes `points` and `peaks` over; without a point there is no such series. */
static void add_series(json_t *built, const char *name, const char *peer, json_t *points,
                       json_t *peaks)
{
    if (json_array_size(points) > 0)
        json_add(json_object_get(built, "series"),
                 must(json_pack("{s:s, s:s?, s:O, s:O}", "name", name, "peer", peer, "points",
                                points, "peak", peaks)));
    json_decref(points);
    json_decref(peaks);
}

struct source {
    const json_t *chart, *rows, *loads; /* chart: as the plan has it */
};

static void add_peers(json_t *built, const struct source *source, const json_t *series)
{
    const json_t *points = json_object_get(series, "points"), *point, *peer;
    json_t *seen = must(json_object());
    size_t i, k;
    json_array_foreach(points, i, point)
    {
        const json_t *row = element(source->rows, "cell", json_text_at(point, "cell"));
        json_array_foreach(json_object_get(row, "peers"), k, peer)
        {
            const char *name = json_text_at(peer, "name");
            if (json_has(seen, name))
                continue;
            json_put(seen, name, json_true());
            json_t *of_peer = points_of_peer(source->chart, points, name);
            char *title = text_of("%s, %s", json_text_at(series, "name"), name);
            add_series(built, title, name, points_json(of_peer, source->rows, source->loads),
                       must(json_array()));
            free(title);
            json_decref(of_peer);
        }
    }
    json_decref(seen);
}

json_t *chart_build(const json_t *chart, const json_t *rows, const json_t *loads)
{
    const struct source source = {chart, rows, loads};
    json_t *built =
        must(json_pack("{s:O, s:O, s:O, s:O, s:[]}", "kind", json_object_get(chart, "kind"),
                       "title", json_object_get(chart, "title"), "x", json_object_get(chart, "x"),
                       "y", json_object_get(chart, "y"), "series"));
    const json_t *series;
    size_t index;
    json_array_foreach(json_object_get(chart, "series"), index, series)
    {
        const json_t *points = json_object_get(series, "points");
        const char *peer = json_text_at(json_array_get(points, 0), "peer");
        add_series(built, json_text_at(series, "name"), peer, points_json(points, rows, loads),
                   peer == NULL ? peaks_json(points, rows, loads) : must(json_array()));
        if (peer == NULL)
            add_peers(built, &source, series);
    }
    return built;
}

json_t *chart_of_series(const struct measured *measured, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure");
    struct sequence sequence;
    json_t *points = must(json_array());
    sequence_read(&sequence, measured, cell);
    for (size_t i = 0; i < sequence.count; i++)
        json_add(points, point_json(sequence.time_s[i], sequence.value[i], NULL));
    sequence_free(&sequence);
    if (json_array_size(points) == 0) {
        json_decref(points);
        return NULL;
    }
    char *title = text_of("%s over time", json_text_at(cell, "cell"));
    json_t *chart = must(json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:n, s:o, s:[]}]}", "kind",
        "series", "title", title, "x", "label", "time", "unit", "s", "log", 0, "y", "label",
        json_text_at(figure, "name"), "unit", json_text_at(figure, "unit"), "log", 0, "series",
        "name", json_text_at(cell, "cell"), "peer", "points", points, "peak"));
    free(title);
    return chart;
}
