/* The charts of a history: levels, and what the kernel shows, over the time. */

#include "harness/probe/history.h"

#include "harness/bench/drawings.h"
#include "harness/bench/json.h"
#include "harness/report/memory.h"

#include <math.h>
#include <stdlib.h>

/* A point for each row that has the figure; kind KINDS: of the row itself. */
static json_t *points_of(const json_t *host, enum kind kind, const char *figure)
{
    json_t *points = must(json_array());
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(host, "rows"), i, row)
    {
        const json_t *from =
            kind == KINDS ? row : json_array_get(json_object_get(row, "kinds"), (size_t)kind);
        if (!json_has(from, figure))
            continue;
        json_t *point = must(json_pack("{s:f, s:f}", "x", json_number_at(row, "hours"), "y",
                                       100 * json_number_at(from, figure)));
        if (kind != KINDS && json_has(from, "lo")) {
            json_put(point, "lo", json_number(100 * json_number_at(from, "lo")));
            json_put(point, "hi", json_number(100 * json_number_at(from, "hi")));
        }
        json_add(points, point);
    }
    return points;
}

static json_t *chart(const char *host, const char *title, const char *label, json_t *series)
{
    char *whole = text_of("%s: %s", host, title);
    json_t *made =
        must(json_pack("{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:o}", "kind", "series",
                       "title", whole, "x", "label", "time", "unit", "h", "log", 0, "y", "label",
                       label, "unit", "%", "log", 0, "series", series));
    free(whole);
    return made;
}

/* A chart of each kind that was ever seen. */
static void add_levels(json_t *charts, const json_t *host)
{
    for (enum kind k = 0; k < KINDS; k++) {
        const json_t *kind = json_array_get(json_object_get(host, "kinds"), (size_t)k);
        if (!(json_number_at(kind, "seen") > 0))
            continue;
        json_t *series = must(json_pack("[{s:s, s:o}]", "name", kinds[k].name, "points",
                                        points_of(host, k, "level")));
        json_add(charts,
                 chart(json_text_at(host, "host"), kinds[k].resource, "as if at level", series));
    }
}

static void add_kernel(json_t *charts, const json_t *host)
{
    static const struct {
        const char *figure, *name;
    } lines[] = {{"cpu_some", "waited for a CPU"},
                 {"memory_some", "waited for memory"},
                 {"io_some", "waited for the disk"},
                 {"steal", "stolen by the hypervisor"},
                 {"throttled", "throttled by our quota"}};
    json_t *series = must(json_array());
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        json_add(series, must(json_pack("{s:s, s:o}", "name", lines[i].name, "points",
                                        points_of(host, KINDS, lines[i].figure))));
    json_add(charts,
             chart(json_text_at(host, "host"), "what the kernel shows", "of the time", series));
}

void history_charts_add(json_t *record)
{
    json_t *charts = must(json_array());
    const json_t *host;
    size_t i;
    json_array_foreach(json_object_get(record, "hosts"), i, host)
    {
        add_levels(charts, host);
        add_kernel(charts, host);
    }
    json_t *whole = must(json_pack("{s:[{s:O}]}", "parts", "charts", charts));
    drawings_add(whole);
    json_decref(whole);
    json_put(record, "charts", charts);
}
