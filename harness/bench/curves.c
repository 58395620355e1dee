// Lines that make charts: which there are, and the points of their curves.

#include "matrix.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <string.h>

// UNIT SCALE LABEL
static json_t *axis_json(const struct filling *filling, char *value)
{
    const char *unit = line_unit(line_word(filling, &value));
    const bool is_log = strcmp(line_word(filling, &value), "log") == 0;
    return must(json_pack("{s:s, s:s, s:b}", "label", value, "unit", unit, "log", is_log));
}

// The chart of that section, once for each title.
static json_t *chart_of(const struct filling *filling, const char *name)
{
    json_t *charts = json_object_get(filling->matrix->part, "charts");
    json_t *chart = must(json_object());
    OWNED_SECTION struct section section = matrix_section(filling->matrix, "chart", name);
    for (size_t i = 0; i < section.count; i++) {
        const char *key = section.entries[i]->key;
        OWNED char *value =
            matrix_fill(filling->matrix, section.entries[i]->value, filling->variables);
        json_put(chart, key, strlen(key) == 1 ? axis_json(filling, value) : json_text(value));
    }
    json_t *found = json_named(charts, "title", json_text_at(chart, "title"));
    if (found) {
        json_decref(chart);
        return found;
    }
    json_put(chart, "series", must(json_array()));
    json_add(charts, chart);
    return chart;
}

bool does_chart(struct filling *filling, char *value)
{
    (void)chart_of(filling, value);
    return true;
}

// CHART X FIGURE SERIES: a point of a curve, which begins with the first of them. X `load`: the
// mean of what the cell's load has achieved. FIGURE `-`: the one that counts.
bool does_point(struct filling *filling, char *value)
{
    json_t *all = json_object_get(chart_of(filling, line_word(filling, &value)), "series");
    char *x = line_word(filling, &value);
    const char *figure = line_word(filling, &value);
    json_t *series = json_named(all, "name", value);
    if (!series) {
        series = must(json_pack("{s:s, s:[]}", "name", value, "points"));
        json_add(all, series);
    }
    json_add(
        json_object_get(series, "points"),
        must(json_pack("{s:O, s:o, s:s?, s:n}", "cell", json_object_get(filling->cell, "cell"), "x",
                       strcmp(x, "load") == 0 ? json_null() : json_number(line_number(filling, &x)),
                       "figure", *line_unit(figure) ? figure : NULL, "peer")));
    return true;
}
