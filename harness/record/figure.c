// Reads the figure of a metric from the record of a run.
#include "figure.h"

#include "common/metric.h"

#include <math.h>
#include <string.h>

// The number at a path such as "counters.cycles"; NAN.
static double number_at(struct node object, const char *path)
{
    char name[METRIC_NAME_SIZE];
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1) {
        const size_t length = (size_t)(dot - path);
        if (length >= sizeof name)
            return NAN;
        *(char *)mempcpy(name, path, length) = '\0';
        object = node_get(object, name);
    }
    return node_number(node_get(object, path));
}

double figure_alone_wait_s(struct node record)
{
    // What else has work may be so much of all: of the CPU time, and of the wall time.
    static const double other_cpu = 0.05, other_wait = 0.01;
    const double cpu_s = number_at(record, "user_s") + number_at(record, "system_s");
    const double own_s = number_at(record, "stalls.cpu_s") - number_at(record, "stalls.cpu_full_s");
    const char *cpus = node_text(node_get(record, "cpus"));
    if (number_at(record, "stalls.run_s") >= (1 - other_cpu) * cpu_s)
        return number_at(record, "stalls.run_delay_s");
    if (cpus && *cpus && cpus[strspn(cpus, "0123456789")] == '\0' &&
        own_s <= other_wait * number_at(record, "wall_s"))
        return number_at(record, "stalls.cpu_full_s");
    return NAN;
}

// What is recorded of a built-in metric; NAN where a member is null or is not there.
static double figure_builtin(const struct builtin_metric *metric, struct node record)
{
    double sum = 0;
    for (size_t i = 0; i < METRIC_MEMBERS && metric->member[i]; i++)
        sum += number_at(record, metric->member[i]);
    if (metric->without_wait)
        sum -= figure_alone_wait_s(record);
    return sum * metric->scale;
}

double figure_recorded(const char *name, struct node record)
{
    const struct builtin_metric *metric = builtin_metric(name);
    if (metric)
        return figure_builtin(metric, record);
    return node_number(node_get(node_get(node_get(record, "metrics"), name), "value"));
}

double figure_of_run(const char *name, const struct run *is, struct node record)
{
    const struct builtin_metric *metric = builtin_metric(name);
    if (!metric)
        return run_failure(is) == FAILURE_TIMED_OUT ? NAN : figure_recorded(name, record);
    const double value =
        metric == builtin_metrics ? run_wall_s(is) : figure_builtin(metric, record);
    return value < 0 ? NAN : value; // false for NAN
}
