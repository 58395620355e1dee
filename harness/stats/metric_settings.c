#include "metric_settings.h"

#include <string.h>

size_t metrics_find(const struct metric_settings *metrics, const char *name)
{
    size_t i = 0;
    while (i < metrics->count && strcmp(metrics->item[i].name, name) != 0)
        i++;
    return i < metrics->count ? i : MAX_METRICS;
}

// Adds a metric that is not there. Its index; MAX_METRICS where there is no room.
static size_t add(struct metric_settings *metrics, const char *name, const char *unit)
{
    const size_t metric = metrics->count;
    struct metric_setting *one = &metrics->item[metric];
    if (metric == MAX_METRICS || strlen(name) >= sizeof one->name ||
        strlen(unit) >= sizeof one->unit)
        return MAX_METRICS;
    *one = (struct metric_setting){.chosen = false};
    strcpy(one->name, name);
    strcpy(one->unit, unit);
    metrics->count++;
    return metric;
}

static size_t add_builtin(struct metric_settings *metrics, const struct builtin_metric *builtin)
{
    const size_t metric = add(metrics, builtin->name, builtin->unit);
    if (metric < MAX_METRICS) {
        metrics->item[metric].higher_is_better = builtin->higher_is_better;
        metrics->item[metric].builtin = builtin;
    }
    return metric;
}

void metrics_begin(struct metric_settings *metrics)
{
    metrics->count = 0;
    for (size_t i = 0; i < BASIC_METRICS; i++)
        add_builtin(metrics, &builtin_metrics[i]);
}

void metrics_choose(struct metric_settings *metrics, size_t metric)
{
    metrics->item[metric].chosen = metrics->item[metric].decides = true;
}

bool metrics_choose_output(struct metric_settings *metrics, const char *name, const char *unit,
                           bool higher_is_better)
{
    const bool is_new = metrics_find(metrics, name) == MAX_METRICS;
    const size_t metric = is_new ? add(metrics, name, unit) : MAX_METRICS;
    if (metric == MAX_METRICS)
        return false;
    metrics->item[metric].higher_is_better = higher_is_better;
    metrics_choose(metrics, metric);
    return true;
}

size_t metrics_know(struct metric_settings *metrics, const char *name)
{
    const struct builtin_metric *builtin = builtin_metric(name);
    const size_t metric = metrics_find(metrics, name);
    if (metric < MAX_METRICS)
        return metric;
    return builtin ? add_builtin(metrics, builtin) : MAX_METRICS;
}

bool metrics_choose_builtin(struct metric_settings *metrics, const char *name)
{
    const size_t metric = metrics_know(metrics, name);
    if (metric == MAX_METRICS)
        return false;
    metrics_choose(metrics, metric);
    return true;
}

size_t metrics_deciding(const struct metric_settings *metrics)
{
    size_t count = 0;
    for (size_t i = 0; i < metrics->count; i++)
        count += metrics->item[i].decides;
    return count;
}

bool metrics_reports(const struct metric_settings *metrics, size_t metric)
{
    return metric == WALL_S || metrics->item[metric].chosen;
}

bool metrics_is_time(const struct metric_settings *metrics, size_t metric)
{
    const struct metric_setting *one = &metrics->item[metric];
    return one->builtin && strcmp(one->unit, "s") == 0;
}

bool metrics_is_ticks(const struct metric_settings *metrics, size_t metric)
{
    return metric != WALL_S && metrics_is_time(metrics, metric) &&
           metrics->item[metric].builtin->counters == NEEDS_NO_COUNTERS;
}
