#include "metric_settings.h"

#include "common/messages.h"

#include <stdio.h>
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

// ---- options ----

static bool choose_definition(struct metric_settings *metrics, const char *text, char *error,
                              size_t size)
{
    struct metric metric;
    if (!metric_parse(&metric, text, error, size))
        return false;
    const bool good =
        metric.variant == NULL &&
        metrics_choose_output(metrics, metric.name, metric.unit, metric.higher_is_better);
    if (metric.variant != NULL)
        snprintf(error, size, "metric %s: leave @%s out: records have its figure for each variant",
                 metric.name, metric.variant);
    else if (!good)
        snprintf(error, size,
                 "metric %s: it is there, or the %d-th, or its unit is longer than %d "
                 "characters: give another",
                 metric.name, MAX_METRICS + 1, METRIC_UNIT_SIZE - 1);
    metric_free(&metric);
    return good;
}

static bool choose_named(struct metric_settings *metrics, const char *name, char *error,
                         size_t size)
{
    for (size_t i = 0; i < BASIC_METRICS && strcmp(name, "all") == 0; i++)
        metrics_choose(metrics, i);
    if (strcmp(name, "all") == 0 || metrics_choose_builtin(metrics, name))
        return true;
    const char *near = builtin_metric_nearest(name);
    snprintf(error, size,
             "no metric is named '%s'%s%s%s: give wall_s, user_s, system_s, "
             "max_rss_bytes (joined by commas), all, or a definition NAME=SOURCE",
             name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return false;
}

// Calls `take` with each name of a list with commas, until one is false.
static bool each_name(struct metric_settings *metrics, const char *list, char *error, size_t size,
                      bool (*take)(struct metric_settings *metrics, const char *name, char *error,
                                   size_t size))
{
    char word[METRIC_NAME_SIZE];
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!take(metrics, word, error, size))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

bool metrics_choose_text(struct metric_settings *metrics, const char *text, char *error,
                         size_t size)
{
    return metric_is_definition(text) ? choose_definition(metrics, text, error, size)
                                      : each_name(metrics, text, error, size, choose_named);
}

bool metrics_check_text(const char *text, char *error, size_t size)
{
    struct metric_settings ignored;
    metrics_begin(&ignored);
    return metrics_choose_text(&ignored, text, error, size);
}

static bool decide_named(struct metric_settings *metrics, const char *name, char *error,
                         size_t size)
{
    const size_t metric = metrics_find(metrics, name);
    if (metric < MAX_METRICS && metrics->item[metric].chosen) {
        metrics->item[metric].decides = true;
        return true;
    }
    snprintf(error, size, "'%s' is none of the metrics of --metric: name some of those", name);
    return false;
}

bool metrics_decide(struct metric_settings *metrics, const char *list, char *error, size_t size)
{
    for (size_t i = 0; i < metrics->count; i++)
        metrics->item[i].decides = false;
    return each_name(metrics, list, error, size, decide_named);
}

// ---- what they are ----

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
