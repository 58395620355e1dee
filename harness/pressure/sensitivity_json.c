// Sensitivity in records: of a profile, and of any result whose loads are kinds at levels.
#include "sensitivity.h"

#include "kinds.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double item(const json_t *array, size_t index)
{
    const json_t *value = json_array_get(array, index);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static json_t *point_to_json(const struct sensitivity_point *point)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "level", number_to_json(point->level),
        "achieved", number_to_json(point->achieved), "slowdown", number_to_json(point->slowdown),
        "ci", bounds_to_json(point->low, point->high), "sd", number_to_json(point->sd), "n",
        (json_int_t)point->n, "load_cpus", number_to_json(point->load_cpus), "cpu_ratio",
        number_to_json(point->cpu_ratio), "fit", number_to_json(point->fit), "fit_ci",
        bounds_to_json(point->fit_low, point->fit_high));
}

static json_t *curve_to_json(const struct sensitivity_curve *curve)
{
    json_t *points = json_array();
    for (size_t i = 0; i < curve->count; i++)
        if (json_array_append_new(points, point_to_json(&curve->point[i])) != 0) {
            json_decref(points);
            return NULL;
        }
    return json_pack("{s:s, s:o}", "kind", curve->kind, "points", points);
}

json_t *sensitivity_to_json(const struct sensitivity *sensitivity)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sensitivity->count; i++)
        if (json_array_append_new(array, curve_to_json(&sensitivity->curve[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static bool add_point(struct sensitivity *sensitivity, const char *kind, const json_t *json)
{
    struct sensitivity_point point = sensitivity_point_none();
    const json_t *ci = json_object_get(json, "ci");
    point.level = json_number_at(json, "level");
    point.achieved = json_number_at(json, "achieved");
    point.slowdown = json_number_at(json, "slowdown");
    point.low = item(ci, 0);
    point.high = item(ci, 1);
    point.sd = json_number_at(json, "sd");
    point.n = (size_t)json_integer_value(json_object_get(json, "n"));
    point.load_cpus = json_number_at(json, "load_cpus");
    point.cpu_ratio = json_number_at(json, "cpu_ratio");
    return sensitivity_add(sensitivity, kind, &point);
}

bool sensitivity_from_json(struct sensitivity *sensitivity, const json_t *array, double confidence)
{
    size_t i, k;
    const json_t *curve, *point;
    sensitivity_begin(sensitivity, confidence);
    if (!json_is_array(array))
        return false;
    json_array_foreach(array, i, curve)
    {
        const char *kind = json_string_value(json_object_get(curve, "kind"));
        json_array_foreach(json_object_get(curve, "points"), k, point)
        {
            if (kind == NULL || !add_point(sensitivity, kind, point))
                return false;
        }
    }
    sensitivity_fit(sensitivity);
    return true;
}

// The kind and level of a load that is made by a kind's own command line.
static bool recognise(const json_t *load, char name[SENSITIVITY_NAME], double *level)
{
    const char *spec = json_string_value(json_object_get(load, "spec"));
    enum kind kind;
    if (spec == NULL || json_array_size(json_object_get(load, "parts")) != 1 ||
        !kind_of_spec(spec, &kind, level))
        return false;
    snprintf(name, SENSITIVITY_NAME, "%s", kinds[kind].name);
    return true;
}

static const json_t *named(const json_t *array, const char *member, const char *name)
{
    size_t i;
    const json_t *one;
    json_array_foreach(array, i, one)
    {
        const char *its = json_string_value(json_object_get(one, member));
        if (its != NULL && strcmp(its, name) == 0)
            return one;
    }
    return NULL;
}

static double mean_of(const json_t *condition, const char *metric)
{
    return json_number_at(json_object_get(condition, metric), "mean");
}

static double cpu_s(const json_t *condition)
{
    return mean_of(condition, "user_s") + mean_of(condition, "system_s");
}

// What is known of a load beside its slowdown.
static void take_load(struct sensitivity_point *point, const json_t *result, const char *name)
{
    const json_t *conditions = json_object_get(result, "conditions");
    const json_t *condition = named(conditions, "name", name);
    const json_t *load = json_array_get(json_object_get(condition, "load"), 0);
    const json_t *alone = json_array_get(conditions, 0);
    point->achieved = json_number_at(load, "achieved") / json_number_at(load, "offered");
    point->load_cpus = json_number_at(load, "cpu_s") / mean_of(condition, "wall_s");
    point->cpu_ratio = cpu_s(alone) > 0 ? cpu_s(condition) / cpu_s(alone) : NAN;
}

// The slowdown of the wall time of one variant under one load.
static bool take_slowdown(struct sensitivity *sensitivity, const json_t *result,
                          const json_t *slowdown)
{
    const char *metric = json_string_value(json_object_get(slowdown, "metric"));
    const char *name = json_string_value(json_object_get(slowdown, "condition"));
    char kind[SENSITIVITY_NAME];
    struct sensitivity_point point = sensitivity_point_none();
    if (metric == NULL || name == NULL || strcmp(metric, "wall_s") != 0 ||
        !recognise(named(json_object_get(result, "loads"), "name", name), kind, &point.level))
        return false;
    const json_t *ci = json_object_get(slowdown, "ci");
    point.slowdown = json_number_at(slowdown, "ratio");
    point.low = item(ci, 0);
    point.high = item(ci, 1);
    point.n = (size_t)json_integer_value(json_object_get(slowdown, "pairs"));
    take_load(&point, result, name);
    return sensitivity_add(sensitivity, kind, &point);
}

size_t sensitivity_from_result(struct sensitivity *sensitivity, const json_t *result)
{
    size_t i, count = 0;
    const json_t *slowdown;
    sensitivity_begin(sensitivity, json_confidence_at(json_object_get(result, "settings")));
    json_array_foreach(json_object_get(result, "slowdowns"), i, slowdown) count +=
        take_slowdown(sensitivity, result, slowdown);
    sensitivity_fit(sensitivity);
    return count;
}
