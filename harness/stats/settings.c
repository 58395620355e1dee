#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct metric_setting basic[BASIC_METRICS] = {
    [WALL_S] = {.name = "wall_s", .unit = "s"},
    [USER_S] = {.name = "user_s", .unit = "s"},
    [SYSTEM_S] = {.name = "system_s", .unit = "s"},
    [MAX_RSS_BYTES] = {.name = "max_rss_bytes", .unit = "B"},
};

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){.metric_count = BASIC_METRICS};
    memcpy(settings->metrics, basic, sizeof basic);
}

bool settings_add_output(struct settings *settings, const char *name, const char *unit,
                         bool higher_is_better)
{
    const size_t metric = settings->metric_count;
    struct metric_setting *one = &settings->metrics[metric];
    if (metric == MAX_METRICS || settings_metric(settings, name) < metric ||
        strlen(name) >= sizeof one->name || strlen(unit) >= sizeof one->unit)
        return false;
    *one = (struct metric_setting){.higher_is_better = higher_is_better, .from_output = true};
    strcpy(one->name, name);
    strcpy(one->unit, unit);
    settings->metric_count++;
    settings_choose(settings, metric);
    return true;
}

bool settings_is_time(const struct settings *settings, size_t metric)
{
    const struct metric_setting *one = &settings->metrics[metric];
    return !one->from_output && strcmp(one->unit, "s") == 0;
}

bool settings_needs_positive(const struct settings *settings, size_t metric)
{
    return settings->metrics[metric].from_output && settings->condition_count > 1;
}

size_t settings_deciding(const struct settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < settings->metric_count; i++)
        count += settings->metrics[i].decides;
    return count;
}

size_t settings_metric(const struct settings *settings, const char *name)
{
    size_t i = 0;
    while (i < settings->metric_count && strcmp(settings->metrics[i].name, name) != 0)
        i++;
    return i;
}

void settings_choose(struct settings *settings, size_t metric)
{
    settings->metrics[metric].chosen = settings->metrics[metric].decides = true;
}

bool settings_reports(const struct settings *settings, size_t metric)
{
    return metric == WALL_S || settings->metrics[metric].chosen;
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
    size_t family = settings_deciding(settings);
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
    for (size_t i = 0; i < BASIC_METRICS; i++) {
        const char *its = settings->metrics[i].name;
        if (!all && (strlen(its) != length || strncmp(name, its, length) != 0))
            continue;
        settings_choose(settings, i);
        found = true;
    }
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
    struct settings ignored;
    settings_begin(&ignored);
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
