#include "settings.h"

#include <stdlib.h>
#include <string.h>

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){.variants = 1};
    metrics_begin(&settings->metrics);
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
    return settings->at_most > 0 || settings->same_within > 0;
}

bool settings_has_capacity(const struct settings *settings)
{
    return settings->objectives.count > 0;
}

size_t settings_family(const struct settings *settings)
{
    const size_t metrics = metrics_deciding(&settings->metrics), loads = settings_loads(settings);
    const size_t variants = (settings->variants - 1) * (loads + 1);
    const size_t comparisons = settings->variants > 1 ? variants : loads;
    return metrics * (settings_has_gate(settings) && comparisons > 1 ? comparisons : 1);
}

size_t settings_variant(const struct settings *settings, size_t condition)
{
    return condition % settings->variants;
}

size_t settings_load(const struct settings *settings, size_t condition)
{
    return condition / settings->variants;
}

size_t settings_reference(const struct settings *settings, size_t condition, enum against against)
{
    const size_t variant = settings_variant(settings, condition);
    return against == AGAINST_ALONE ? variant : condition - variant;
}

bool settings_compares(const struct settings *settings, size_t condition, enum against against)
{
    if (against == AGAINST_BOTH && settings_load(settings, condition) == 0)
        return false;
    return settings_reference(settings, condition, against) != condition;
}

enum against settings_decides_by(const struct settings *settings)
{
    return settings->variants > 1 ? AGAINST_REFERENCE : AGAINST_ALONE;
}

const char *settings_load_name(const struct settings *settings, size_t condition)
{
    const char *name = settings->conditions[condition];
    if (!settings_is_loaded(settings, (int)condition))
        return NULL;
    return settings->variants > 1
               ? name + strlen(settings->conditions[settings_variant(settings, condition)]) + 1
               : name;
}

size_t settings_loads(const struct settings *settings)
{
    return settings->condition_count / settings->variants - 1 - (settings_aa(settings) > 0 ? 1 : 0);
}

size_t settings_aa(const struct settings *settings)
{
    int index = settings->aa ? settings_condition(settings, "aa") : 0;
    return index > 0 ? (size_t)index : 0;
}

bool settings_is_loaded(const struct settings *settings, int condition)
{
    return condition >= (int)settings->variants && condition != (int)settings_aa(settings);
}

bool settings_needs_positive(const struct settings *settings, size_t metric)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    const bool no_loads = settings->condition_count == settings->variants;
    return !one->builtin && settings->condition_count > 1 && !(one->alone && no_loads) &&
           !settings_has_capacity(settings);
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        free(settings->conditions[i]);
    settings->condition_count = 0;
}
