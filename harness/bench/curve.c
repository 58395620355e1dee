/* What a part says of a chart. */
#include "common/record_json.h"
#include "handles.h"

#include "common/memory.h"

#include <string.h>

static json_t *axis_json(struct axis axis)
{
    return must(
        json_pack("{s:s, s:s, s:b}", "label", axis.label, "unit", axis.unit, "log", axis.log));
}

struct chart *matrix_chart(struct matrix *matrix, const char *kind, const char *title,
                           struct axis x, struct axis y)
{
    json_t *charts = json_object_get(matrix->part, "charts"), *chart;
    struct chart *found = matrix_handle(matrix, sizeof *found);
    size_t index;
    json_array_foreach(charts, index, chart)
    {
        if (strcmp(json_text_at(chart, "title"), title) == 0) {
            found->json = chart;
            return found;
        }
    }
    found->json = must(json_pack("{s:s, s:s, s:o, s:o, s:[]}", "kind", kind, "title", title, "x",
                                 axis_json(x), "y", axis_json(y), "series"));
    json_add(charts, found->json);
    return found;
}

/* The points of a curve of the chart, which begins with the first of them. */
static json_t *points_of(struct chart *chart, const char *name)
{
    json_t *all = json_object_get(chart->json, "series"), *one;
    size_t index;
    json_array_foreach(all, index, one)
    {
        if (strcmp(json_text_at(one, "name"), name) == 0)
            return json_object_get(one, "points");
    }
    one = must(json_pack("{s:s, s:[]}", "name", name, "points"));
    json_add(all, one);
    return json_object_get(one, "points");
}

static void add_point(struct chart *chart, const char *series, const struct cell *cell, json_t *x,
                      const char *figure, const char *peer)
{
    json_add(points_of(chart, series),
             must(json_pack("{s:O, s:o, s:o, s:o}", "cell", json_object_get(cell->json, "cell"),
                            "x", x, "figure", json_text(figure), "peer", json_text(peer))));
}

void chart_point(struct chart *chart, const char *series, const struct cell *cell, double x)
{
    add_point(chart, series, cell, json_number(x), NULL, NULL);
}

void chart_point_load(struct chart *chart, const char *series, const struct cell *cell)
{
    add_point(chart, series, cell, json_null(), NULL, NULL);
}

void chart_point_of(struct chart *chart, const char *series, const struct cell *cell, double x,
                    const char *figure, const char *peer)
{
    add_point(chart, series, cell, json_number(x), figure, peer);
}
