#include "common/metric_json.h"

#include "common/json.h"
#include "common/record_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number at a path such as "counters.cycles"; NAN. */
static double number_at(const json_t *object, const char *path)
{
    for (const char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1)
        object = json_object_getn(object, path, (size_t)(dot - path));
    const json_t *value = json_object_get(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

double builtin_metric_value(const struct builtin_metric *metric, const json_t *record)
{
    double sum = 0;
    for (size_t i = 0; i < METRIC_MEMBERS && metric->member[i] != NULL; i++)
        sum += number_at(record, metric->member[i]);
    return sum * metric->scale;
}

double metric_value(const char *name, const json_t *record)
{
    const struct builtin_metric *metric = builtin_metric(name);
    if (metric != NULL)
        return builtin_metric_value(metric, record);
    return number_at(json_object_get(json_object_get(record, "metrics"), name), "value");
}

json_t *metric_to_json(const struct metric *metric, const char *adapter)
{
    char take[METRIC_TAKE_SIZE];
    return json_pack("{s:s, s:o, s:s, s:o, s:s, s:s?, s:o, s:s?, s:o}", "name", metric->name,
                     "source", text_to_json(metric->source_text), "take",
                     metric_take_text(metric, take), "unit", text_to_json(metric->unit), "better",
                     metric_better_names[metric->higher_is_better], "role",
                     metric->role == ROLE_RESULT ? NULL : metric_role_names[metric->role],
                     "quantile", number_to_json(metric->quantile), "loop",
                     metric->loop == LOOP_UNKNOWN ? NULL : metric_loop_names[metric->loop],
                     "adapter", text_to_json(adapter));
}

static const char *text_at(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

bool metric_from_json(struct metric *metric, const json_t *object, char *error, size_t size)
{
    static const char *const options[] = {"take", "unit", "better", "role", "loop", NULL};
    const json_t *quantile = json_object_get(object, "quantile");
    const char *name = text_at(object, "name"), *source = text_at(object, "source");
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    *metric = (struct metric){.name = NULL};
    if (stream == NULL)
        return snprintf(error, size, "no memory"), false;
    fprintf(stream, "%s=%s", name != NULL ? name : "", source != NULL ? source : "");
    for (size_t i = 0; options[i] != NULL; i++) {
        const char *value = text_at(object, options[i]);
        if (value != NULL && value[0] != '\0')
            fprintf(stream, ",%s=%s", options[i], value);
    }
    if (json_is_number(quantile))
        fprintf(stream, ",quantile=%.15g", json_number_value(quantile));
    const bool written = fclose(stream) == 0;
    const bool taken = written && metric_parse(metric, text, error, size);
    if (!written)
        snprintf(error, size, "no memory");
    free(text);
    return taken;
}
