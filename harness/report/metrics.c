#include "metrics.h"

const struct metric metrics[METRIC_COUNT] = {
    [METRIC_WALL] = {.name = "wall_s",
                     .title = "wall",
                     .words = "wall time",
                     .unit = "s",
                     .table_unit = "s",
                     .table_factor = 1,
                     .scale = scale_time,
                     .meaning = "wall time, from start to end"},
    [METRIC_USER] = {.name = "user_s",
                     .title = "user",
                     .words = "user time",
                     .unit = "s",
                     .table_unit = "s",
                     .table_factor = 1,
                     .scale = scale_time,
                     .meaning = "user time, CPU time in the target's own code"},
    [METRIC_SYSTEM] = {.name = "system_s",
                       .title = "system",
                       .words = "system time",
                       .unit = "s",
                       .table_unit = "s",
                       .table_factor = 1,
                       .scale = scale_time,
                       .meaning = "system time, CPU time in the kernel"},
    [METRIC_MEMORY] = {.name = "max_rss_bytes",
                       .title = "memory",
                       .words = "memory",
                       .unit = "B",
                       .table_unit = "MiB",
                       .table_factor = 1 / 1048576.0,
                       .scale = scale_size,
                       .meaning = "memory, the peak of the largest process"},
};

void metrics_put(struct line *json)
{
    line_array(json, "metrics");
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        line_object(json, NULL);
        line_text(json, "name", metrics[i].name);
        line_text(json, "title", metrics[i].title);
        line_text(json, "unit", metrics[i].unit);
        line_text(json, "table_unit", metrics[i].table_unit);
        line_text(json, "meaning", metrics[i].meaning);
        line_close(json);
    }
    line_close(json);
}
