#include "settings.h"

#include <stdlib.h>
#include <string.h>

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){.metric_count = 0};
    metrics_begin(settings);
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

bool settings_has_capacity(const struct settings *settings)
{
    return settings->objectives.count > 0;
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

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        free(settings->conditions[i]);
    settings->condition_count = 0;
}
