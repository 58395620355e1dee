#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const metric_names[METRICS] = {"wall_s", "user_s", "system_s", "max_rss_bytes"};

size_t settings_metric_count(const struct settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < METRICS; i++)
        count += settings->metric[i];
    return count;
}

bool settings_reports(const struct settings *settings, enum metric metric)
{
    return metric == WALL_S || settings->metric[metric];
}

int settings_condition(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        if (strcmp(settings->conditions[i], name) == 0)
            return (int)i;
    return -1;
}

bool settings_is_sequential(const struct settings *settings)
{
    return settings->min_runs < settings->max_runs;
}

bool settings_has_gate(const struct settings *settings)
{
    return settings->at_most > 0;
}

size_t settings_family(const struct settings *settings)
{
    size_t family = settings_metric_count(settings);
    size_t loads = settings->condition_count - 1 - (settings_aa(settings) > 0 ? 1 : 0);
    return family * (settings_has_gate(settings) && loads > 1 ? loads : 1);
}

size_t settings_aa(const struct settings *settings)
{
    int index = settings->aa ? settings_condition(settings, "aa") : 0;
    return index > 0 ? (size_t)index : 0;
}

bool settings_is_loaded(const struct settings *settings, int condition)
{
    return condition > 0 && condition != (int)settings_aa(settings);
}

static bool add_metric(struct settings *settings, const char *name, size_t length)
{
    const bool all = length == 3 && strncmp(name, "all", length) == 0;
    bool found = all;
    for (size_t i = 0; i < METRICS; i++)
        if (all ||
            (strlen(metric_names[i]) == length && strncmp(name, metric_names[i], length) == 0))
            settings->metric[i] = found = true;
    return found;
}

bool settings_add_metrics(struct settings *settings, const char *list)
{
    bool good = true;
    for (const char *name = list; good && name;) {
        const size_t length = strcspn(name, ",");
        good = add_metric(settings, name, length);
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    return good;
}

bool settings_check_metrics(const char *list, char *error, size_t size)
{
    struct settings ignored = {0};
    if (settings_add_metrics(&ignored, list))
        return true;
    snprintf(error, size, "give wall_s, user_s, system_s, max_rss_bytes (joined by commas) or all");
    return false;
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        free(settings->conditions[i]);
    settings->condition_count = 0;
}
