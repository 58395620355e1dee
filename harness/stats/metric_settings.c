#include "metric_settings.h"

#include "settings.h"

#include "common/messages.h"

#include <stdio.h>
#include <string.h>

size_t settings_metric(const struct settings *settings, const char *name)
{
    size_t i = 0;
    while (i < settings->metric_count && strcmp(settings->metrics[i].name, name) != 0)
        i++;
    return i;
}

// Adds a metric that is not there. Its index; MAX_METRICS where there is no room.
static size_t add(struct settings *settings, const char *name, const char *unit)
{
    const size_t metric = settings->metric_count;
    struct metric_setting *one = &settings->metrics[metric];
    if (metric == MAX_METRICS || strlen(name) >= sizeof one->name ||
        strlen(unit) >= sizeof one->unit)
        return MAX_METRICS;
    *one = (struct metric_setting){.chosen = false};
    strcpy(one->name, name);
    strcpy(one->unit, unit);
    settings->metric_count++;
    return metric;
}

static size_t add_builtin(struct settings *settings, const struct builtin_metric *builtin)
{
    const size_t metric = add(settings, builtin->name, builtin->unit);
    if (metric < MAX_METRICS) {
        settings->metrics[metric].higher_is_better = builtin->higher_is_better;
        settings->metrics[metric].builtin = builtin;
    }
    return metric;
}

void metrics_begin(struct settings *settings)
{
    settings->metric_count = 0;
    for (size_t i = 0; i < BASIC_METRICS; i++)
        add_builtin(settings, &builtin_metrics[i]);
}

void settings_choose(struct settings *settings, size_t metric)
{
    settings->metrics[metric].chosen = settings->metrics[metric].decides = true;
}

bool settings_choose_output(struct settings *settings, const char *name, const char *unit,
                            bool higher_is_better)
{
    const bool is_new = settings_metric(settings, name) == settings->metric_count;
    const size_t metric = is_new ? add(settings, name, unit) : MAX_METRICS;
    if (metric == MAX_METRICS)
        return false;
    settings->metrics[metric].higher_is_better = higher_is_better;
    settings_choose(settings, metric);
    return true;
}

size_t settings_know(struct settings *settings, const char *name)
{
    const struct builtin_metric *builtin = builtin_metric(name);
    const size_t metric = settings_metric(settings, name);
    if (metric < settings->metric_count)
        return metric;
    return builtin ? add_builtin(settings, builtin) : MAX_METRICS;
}

bool settings_choose_builtin(struct settings *settings, const char *name)
{
    const size_t metric = settings_know(settings, name);
    if (metric == MAX_METRICS)
        return false;
    settings_choose(settings, metric);
    return true;
}

// ---- options ----

static bool choose_definition(struct settings *settings, const char *text, char *error, size_t size)
{
    struct metric metric;
    if (!metric_parse(&metric, text, error, size))
        return false;
    const bool good =
        metric.variant == NULL &&
        settings_choose_output(settings, metric.name, metric.unit, metric.higher_is_better);
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

static bool choose_named(struct settings *settings, const char *name, char *error, size_t size)
{
    for (size_t i = 0; i < BASIC_METRICS && strcmp(name, "all") == 0; i++)
        settings_choose(settings, i);
    if (strcmp(name, "all") == 0 || settings_choose_builtin(settings, name))
        return true;
    const char *near = builtin_metric_nearest(name);
    snprintf(error, size,
             "no metric is named '%s'%s%s%s: give wall_s, user_s, system_s, "
             "max_rss_bytes (joined by commas), all, or a definition NAME=SOURCE",
             name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return false;
}

// Calls `take` with each name of a list with commas, until one is false.
static bool each_name(struct settings *settings, const char *list, char *error, size_t size,
                      bool (*take)(struct settings *settings, const char *name, char *error,
                                   size_t size))
{
    char word[METRIC_NAME_SIZE];
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!take(settings, word, error, size))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

bool settings_choose_text(struct settings *settings, const char *text, char *error, size_t size)
{
    return metric_is_definition(text) ? choose_definition(settings, text, error, size)
                                      : each_name(settings, text, error, size, choose_named);
}

bool settings_check_metric(const char *text, char *error, size_t size)
{
    struct settings ignored;
    settings_begin(&ignored);
    return settings_choose_text(&ignored, text, error, size);
}

static bool decide_named(struct settings *settings, const char *name, char *error, size_t size)
{
    const size_t metric = settings_metric(settings, name);
    if (metric < settings->metric_count && settings->metrics[metric].chosen) {
        settings->metrics[metric].decides = true;
        return true;
    }
    snprintf(error, size, "'%s' is none of the metrics of --metric: name some of those", name);
    return false;
}

bool settings_decide(struct settings *settings, const char *list, char *error, size_t size)
{
    for (size_t i = 0; i < settings->metric_count; i++)
        settings->metrics[i].decides = false;
    return each_name(settings, list, error, size, decide_named);
}

// ---- what they are ----

size_t settings_deciding(const struct settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < settings->metric_count; i++)
        count += settings->metrics[i].decides;
    return count;
}

bool settings_reports(const struct settings *settings, size_t metric)
{
    return metric == WALL_S || settings->metrics[metric].chosen;
}

bool settings_is_time(const struct settings *settings, size_t metric)
{
    const struct metric_setting *one = &settings->metrics[metric];
    return one->builtin && strcmp(one->unit, "s") == 0;
}

bool settings_is_ticks(const struct settings *settings, size_t metric)
{
    return metric != WALL_S && settings_is_time(settings, metric) &&
           settings->metrics[metric].builtin->counters == NEEDS_NO_COUNTERS;
}

bool settings_needs_positive(const struct settings *settings, size_t metric)
{
    const bool no_loads = settings->condition_count == settings->variants;
    return !settings->metrics[metric].builtin && settings->condition_count > 1 &&
           !(settings->metrics[metric].alone && no_loads) && !settings_has_capacity(settings);
}
