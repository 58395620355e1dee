#include "json.h"

#include "harness/stats/json.h"

#include "common/memory.h"

json_t *json_text(const char *value)
{
    return value == NULL ? json_null() : must(json_string(value));
}

json_t *json_number(double value)
{
    return must(json_figure(value));
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        must(NULL);
}

void json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        must(NULL);
}

void json_put_interval(json_t *object, const char *name, const struct interval *interval)
{
    json_put(object, name, json_number(interval->center));
    json_put(object, "ci", must(json_interval(interval)));
}
