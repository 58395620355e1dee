#include "metric_json.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "messages.h"
#include "metric.h"
#include "record_json.h"

// The number at a path such as "counters.cycles"; NAN.
static double number_at(const json_t *object, const char *path)
{
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1)
        object = json_at(object, path, (size_t)(dot - path));
    const json_t *value = json_object_get(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double builtin_metric_value(const struct builtin_metric *metric, const json_t *record)
{
    double sum = 0;
    for (size_t i = 0; i < METRIC_MEMBERS && metric->member[i]; i++)
        sum += number_at(record, metric->member[i]);
    if (metric->less)
        sum -= number_at(record, metric->less);
    return sum * metric->scale;
}

double metric_value(const char *name, const json_t *record)
{
    const struct builtin_metric *metric = builtin_metric(name);
    if (metric)
        return builtin_metric_value(metric, record);
    return number_at(json_object_get(json_object_get(record, "metrics"), name), "value");
}

json_t *metric_to_json(const struct metric *metric, const char *adapter)
{
    char take[METRIC_TAKE_SIZE];
    return json_pack("{s:s, s:s*, s:o, s:s, s:o*, s:o, s:s, s:s?, s:o, s:s?, s:o}", "name",
                     metric->name, "variant", metric->variant, "source",
                     text_to_json(metric->source_text), "take", metric_take_text(metric, take),
                     "scale", metric->scale == 1 ? NULL : json_real(metric->scale), "unit",
                     text_to_json(metric->unit), "better",
                     metric_better_names[metric->higher_is_better], "role",
                     metric->role == ROLE_RESULT ? NULL : metric_role_names[metric->role],
                     "quantile", number_to_json(metric->quantile), "loop",
                     metric->loop == LOOP_UNKNOWN ? NULL : metric_loop_names[metric->loop],
                     "adapter", text_to_json(adapter));
}
