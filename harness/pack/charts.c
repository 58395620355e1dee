#include "charts.h"

#include "harness/bench/drawings.h"
#include "harness/bench/json.h"

#include "common/memory.h"

#include <math.h>

static double copies_of(const json_t *row)
{
    return json_number_at(row, "copies");
}

/* Of a mix the reference is no number of copies that run at once. */
static bool is_shown(const json_t *pack, const json_t *row)
{
    return json_array_size(json_object_get(pack, "programs")) == 1 ||
           !json_is_true(json_object_get(row, "reference"));
}

static json_t *measured(const json_t *pack, const char *figure, const char *name)
{
    json_t *points = must(json_array());
    const json_t *row;
    size_t index;
    json_array_foreach(json_object_get(pack, "rows"), index, row)
    {
        const json_t *value = json_object_get(row, figure), *ci = json_object_get(value, "ci");
        if (!is_shown(pack, row) || !json_has(value, "value"))
            continue;
        json_add(
            points,
            must(json_pack(
                "{s:f, s:f, s:o, s:o}", "x", copies_of(row), "y", json_number_at(value, "value"),
                "lo", json_is_array(ci) ? json_incref(json_array_get(ci, 0)) : json_null(), "hi",
                json_is_array(ci) ? json_incref(json_array_get(ci, 1)) : json_null())));
    }
    return must(json_pack("{s:s, s:o}", "name", name, "points", points));
}

/* What the figure would be without any disturbance: the reference's, or so many times it. */
static json_t *undisturbed(const json_t *pack, const char *figure, const char *name, bool grows)
{
    const json_t *rows = json_object_get(pack, "rows"), *row;
    const double first = json_number_at(json_object_get(json_array_get(rows, 0), figure), "value");
    json_t *points = must(json_array());
    size_t index;
    json_array_foreach(rows, index, row)
    {
        if (is_shown(pack, row) && !isnan(first))
            json_add(points, must(json_pack("{s:f, s:f}", "x", copies_of(row), "y",
                                            grows ? first * copies_of(row) : first)));
    }
    return must(json_pack("{s:s, s:b, s:o}", "name", name, "peer", true, "points", points));
}

static json_t *chart(const char *title, const char *label, const char *unit, json_t *series)
{
    return must(json_pack("{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:o}", "kind",
                          "scaling", "title", title, "x", "label", "copies", "unit", "", "log",
                          false, "y", "label", label, "unit", unit, "log", false, "series",
                          series));
}

static json_t *pair_of(json_t *one, json_t *other)
{
    return must(json_pack("[o, o]", one, other));
}

void charts_add(json_t *pack)
{
    json_t *charts = must(json_array());
    json_add(charts, chart("Time of a copy", "time of a copy", "s",
                           pair_of(measured(pack, "copy_s", "time"),
                                   undisturbed(pack, "copy_s", "time of one alone", false))));
    json_add(charts, chart("Throughput of the node", "throughput", "1/s",
                           pair_of(measured(pack, "throughput", "throughput"),
                                   undisturbed(pack, "throughput",
                                               "throughput of one, times their number", true))));
    json_t *whole = must(json_pack("{s:[{s:O}]}", "parts", "charts", charts));
    drawings_add(whole);
    json_decref(whole);
    json_put(pack, "charts", charts);
}
