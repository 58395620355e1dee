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

static json_t *points_json(const json_t *points, const json_t *rows, const json_t *loads)
{
    json_t *list = must(json_array());
    const json_t *point;
    size_t index;
    json_array_foreach(points, index, point)
    {
        const json_t *figure = figure_of(point, rows);
        const double y = json_number_at(figure, "value");
        const double x = json_has(point, "x") ? json_number_at(point, "x")
                                              : json_number_at(loads, json_text_at(point, "cell"));
        if (!isnan(x) && !isnan(y))
            json_add(list, point_json(x, y, json_object_get(figure, "ci")));
    }
    return list;
}

json_t *chart_build(const json_t *chart, const json_t *rows, const json_t *loads)
{
    json_t *built =
        must(json_pack("{s:O, s:O, s:O, s:O, s:[]}", "kind", json_object_get(chart, "kind"),
                       "title", json_object_get(chart, "title"), "x", json_object_get(chart, "x"),
                       "y", json_object_get(chart, "y"), "series"));
    const json_t *series;
    size_t index;
    json_array_foreach(json_object_get(chart, "series"), index, series)
    {
        json_t *points = points_json(json_object_get(series, "points"), rows, loads);
        if (json_array_size(points) == 0)
            json_decref(points);
        else
            json_add(json_object_get(built, "series"),
                     must(json_pack("{s:O, s:o}", "name", json_object_get(series, "name"), "points",
                                    points)));
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
    json_t *chart =
        must(json_pack("{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:o}]}", "kind",
                       "series", "title", title, "x", "label", "time", "unit", "s", "log", 0, "y",
                       "label", json_text_at(figure, "name"), "unit", json_text_at(figure, "unit"),
                       "log", 0, "series", "name", json_text_at(cell, "cell"), "points", points));
    free(title);
    return chart;
}
