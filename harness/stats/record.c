#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// JSON null and an absent field both mean "not known".
static const json_t *field(const json_t *record, const char *name)
{
    const json_t *value = json_object_get(record, name);
    return json_is_null(value) ? NULL : value;
}

static double number(const json_t *record, const char *name)
{
    const json_t *value = field(record, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// A whole number from 0 on, 0 where the field is absent. False for anything else.
static bool whole(const json_t *record, const char *name, size_t *value)
{
    const json_t *number_field = field(record, name);
    json_int_t integer = number_field ? json_integer_value(number_field) : 0;
    *value = integer > 0 ? (size_t)integer : 0;
    return !number_field || (json_is_integer(number_field) && integer >= 0 &&
                             integer <= MAX_RUNS_LIMIT * (json_int_t)MAX_CONDITIONS);
}

static bool has_failed(const json_t *record)
{
    const json_t *exit_code = field(record, "exit_code");
    return (exit_code && json_integer_value(exit_code) != 0) || field(record, "signal") ||
           field(record, "start_error") || json_is_true(json_object_get(record, "timed_out"));
}

static enum record_status fill(const struct settings *settings, const json_t *record,
                               struct run *run, char *why, size_t why_size)
{
    const char *name = json_string_value(field(record, "condition"));
    // One condition needs no name: so meter's own lines can be fed as they are.
    run->condition = name                             ? settings_condition(settings, name)
                     : settings->condition_count == 1 ? 0
                                                      : -1;
    if (run->condition < 0) {
        snprintf(why, why_size, "its condition is %s%s, which is none of those asked for",
                 name ? "" : "not named", name ? name : "");
        return RECORD_FOREIGN;
    }
    for (size_t i = 0; i < METRICS; i++) {
        run->value[i] = number(record, metric_names[i]);
        if (run->value[i] < 0) // false for NAN
            run->value[i] = NAN;
    }
    run->failed = has_failed(record);
    if (!whole(record, "block", &run->block) || !whole(record, "order", &run->order)) {
        snprintf(why, why_size, "its block or order is no whole number that is possible");
        return RECORD_BROKEN;
    }
    if (field(record, "block") && run->block == 0)
        return RECORD_WARM_UP;
    if (isnan(run->value[WALL_S]) && !run->failed) {
        snprintf(why, why_size, "it has no wall_s that is a number, 0 or more");
        return RECORD_BROKEN;
    }
    return RECORD_OK;
}

enum record_status record_parse(const struct settings *settings, const char *line, struct run *run,
                                json_t **load, char *why, size_t why_size)
{
    json_error_t error;
    *load = NULL;
    json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(record)) {
        snprintf(why, why_size, "it is no JSON object%s%s", record ? "" : ": ",
                 record ? "" : error.text);
        json_decref(record);
        return RECORD_BROKEN;
    }
    enum record_status status = fill(settings, record, run, why, why_size);
    if (status == RECORD_OK && json_is_array(json_object_get(record, "load")))
        *load = json_incref(json_object_get(record, "load"));
    json_decref(record);
    return status;
}
