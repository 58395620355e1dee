#include "harness/probe/sample_read.h"

#include "common/messages.h"
#include "common/record_json.h"

#include <math.h>
#include <string.h>

static json_t *load(const char *option, const char *path)
{
    json_error_t error;
    json_t *record = json_read_record(path, 0, &error);
    if (record == NULL)
        complain("%s %s: %s: give a JSON file", option, path, error.text);
    return record;
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* By the names that activities have. A sample's least stands for none. */
static void activity_of(const json_t *record, double activity[ACTIVITIES])
{
    const json_t *rows = json_object_get(record, "activity"), *row;
    size_t i;
    for (enum activity a = 0; a < ACTIVITIES; a++)
        activity[a] = NAN;
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        for (enum activity a = 0; name != NULL && a < ACTIVITIES; a++)
            if (strcmp(name, activities[a].name) == 0)
                activity[a] = number_of(row, "value");
    }
    for (enum activity a = 0; a < ACTIVITIES; a++)
        if (activity[a] <= activities[a].least)
            activity[a] = 0;
}

bool sample_read(const char *path, struct reading readings[REPORTERS], double activity[ACTIVITIES],
                 json_t **record)
{
    size_t i;
    const json_t *row;
    *record = load("--sample", path);
    if (*record == NULL)
        return false;
    for (enum reporter r = 0; r < REPORTERS; r++)
        readings[r] = (struct reading){.value = NAN, .median = NAN, .spread = NAN, .error = NAN};
    const json_t *rows = json_object_get(*record, "reporters");
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        const enum reporter r = name == NULL ? REPORTERS : reporter_find(name);
        if (r == REPORTERS)
            continue;
        const double n = number_of(row, "n");
        readings[r] = (struct reading){
            .n = n > 0 ? (size_t)n : 0,
            .value = number_of(row, "value"),
            .median = number_of(row, "median"),
            .spread = number_of(row, "spread"),
            .correlation = number_of(row, "correlation"),
            .error = number_of(row, "error"),
            .reason = json_string_value(json_object_get(row, "reason")),
        };
    }
    activity_of(*record, activity);
    return json_is_array(rows) ||
           complain("--sample %s: no reporters in it: give what probe sample prints", path);
}

bool facts_read(const char *path, struct kernel_facts *facts)
{
    json_t *record = path == NULL ? json_object() : load("--facts", path);
    if (record == NULL)
        return false;
    const json_t *kernel = json_object_get(record, "kernel");
    kernel_from_json(kernel == NULL ? record : kernel, facts);
    json_decref(record);
    return true;
}
