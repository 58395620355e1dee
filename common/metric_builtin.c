#include "common/messages.h"
#include "common/metric.h"

#include <string.h>

/* What has a better direction but "lower" would say so here; of a program that does the
 * same work, less of any of these is better. */
const struct builtin_metric builtin_metrics[] = {
    {.name = "wall_s", .member = {"wall_s"}, .scale = 1, .unit = "s"},
    {.name = "user_s", .member = {"user_s"}, .scale = 1, .unit = "s"},
    {.name = "system_s", .member = {"system_s"}, .scale = 1, .unit = "s"},
    {.name = "max_rss_bytes", .member = {"max_rss_bytes"}, .scale = 1, .unit = "B"},
    {.name = "cpu_s", .member = {"user_s", "system_s"}, .scale = 1, .unit = "s"},
    {.name = "wall_without_wait_s",
     .member = {"wall_s"},
     .less = "stalls.cpu_s",
     .scale = 1,
     .unit = "s"},
    {.name = "tree_peak_bytes",
     .member = {"tree_peak_bytes"},
     .scale = 1,
     .unit = "B",
     .counters = NEEDS_TREE_MEMORY},
    {.name = "instructions",
     .member = {"counters.instructions"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_HARDWARE_COUNTERS},
    {.name = "cycles",
     .member = {"counters.cycles"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_HARDWARE_COUNTERS},
    {.name = "cache_references",
     .member = {"counters.cache_references"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_HARDWARE_COUNTERS},
    {.name = "cache_misses",
     .member = {"counters.cache_misses"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_HARDWARE_COUNTERS},
    {.name = "task_clock_s",
     .member = {"counters.task_clock_ns"},
     .scale = 1e-9,
     .unit = "s",
     .counters = NEEDS_SOFTWARE_COUNTERS},
    {.name = "page_faults",
     .member = {"counters.page_faults"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_SOFTWARE_COUNTERS},
    {.name = "minor_faults", .member = {"minor_faults"}, .scale = 1, .unit = ""},
    {.name = "major_faults", .member = {"major_faults"}, .scale = 1, .unit = ""},
    {.name = "context_switches",
     .member = {"counters.context_switches"},
     .scale = 1,
     .unit = "",
     .counters = NEEDS_SOFTWARE_COUNTERS},
    {.name = "voluntary_switches", .member = {"voluntary_switches"}, .scale = 1, .unit = ""},
    {.name = "involuntary_switches", .member = {"involuntary_switches"}, .scale = 1, .unit = ""},
    {.name = "service_cpu_s", .member = {"service.cpu_s"}, .scale = 1, .unit = "s"},
    {.name = "service_memory_bytes", .member = {"service.memory_bytes"}, .scale = 1, .unit = "B"},
    {0},
};

const struct builtin_metric *builtin_metric(const char *name)
{
    for (const struct builtin_metric *metric = builtin_metrics; metric->name != NULL; metric++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

const char *builtin_metric_nearest(const char *name)
{
    const char *names[sizeof builtin_metrics / sizeof builtin_metrics[0]];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        names[i] = builtin_metrics[i].name;
    return nearest_name(name, names);
}
