#include "settings.h"

#include <string.h>

const char *const metric_names[METRICS] = {"wall_s", "user_s", "system_s", "max_rss_bytes"};

size_t settings_metric_count(const struct settings *settings)
{
    size_t count = 0;
    for (size_t i = 0; i < METRICS; i++)
        count += settings->metric[i];
    return count;
}

int settings_condition(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        if (strcmp(settings->conditions[i], name) == 0)
            return (int)i;
    return -1;
}
