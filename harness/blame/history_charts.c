/* The charts of a history: the factor, and what the kernel shows, over the time. */

#include "harness/blame/history.h"

#include "harness/bench/drawings.h"
#include "harness/bench/json.h"

#include "common/memory.h"

#include <stdlib.h>

/* A point for each row that has the figure. */
static json_t *points_of(const json_t *host, const char *figure, double scale)
{
    json_t *points = must(json_array());
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(host, "rows"), i, row)
    {
        if (json_has(row, figure))
            json_add(points, must(json_pack("{s:f, s:f}", "x", json_number_at(row, "hours"), "y",
                                            scale * json_number_at(row, figure))));
    }
    return points;
}

struct course {
    const char *figure, *name;
};

static void add_chart(json_t *charts, const json_t *host, const char *title, const char *label,
                      const char *unit, const struct course *courses, size_t count, double scale)
{
    char *whole = text_of("%s: %s", json_text_at(host, "victim"), title);
    json_t *series = must(json_array());
    for (size_t i = 0; i < count; i++)
        json_add(series, must(json_pack("{s:s, s:o}", "name", courses[i].name, "points",
                                        points_of(host, courses[i].figure, scale))));
    json_add(charts,
             must(json_pack("{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:o}", "kind",
                            "series", "title", whole, "x", "label", "time", "unit", "h", "log", 0,
                            "y", "label", label, "unit", unit, "log", 0, "series", series)));
    free(whole);
}

void history_charts_add(json_t *record)
{
    static const struct course factors[] = {{"factor", "mean"}, {"most", "most"}};
    static const struct course kernel[] = {{"cpu_some", "waited for a CPU"},
                                           {"io_some", "waited for a disk"},
                                           {"steal", "stolen by the hypervisor"},
                                           {"throttled", "held back by its quota"}};
    json_t *charts = must(json_array());
    const json_t *host;
    size_t i;
    json_array_foreach(json_object_get(record, "hosts"), i, host)
    {
        add_chart(charts, host, "how many times slower", "slower", "times", factors, 2, 1);
        add_chart(charts, host, "what the kernel shows", "of the time", "%", kernel, 4, 100);
    }
    json_t *whole = must(json_pack("{s:[{s:O}]}", "parts", "charts", charts));
    drawings_add(whole);
    json_decref(whole);
    json_put(record, "charts", charts);
}
