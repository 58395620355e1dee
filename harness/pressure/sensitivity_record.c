// Sensitivity in records: of a profile, and of any result whose loads are kinds at levels.

#include "pressure.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/units.h"
#include "harness/stats/json.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

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

json_t *sensitivity_to_json(const struct sensitivity *sensitivity)
{
    json_t *array = must(json_array());
    for (size_t i = 0; i < sensitivity->count; i++) {
        const struct sensitivity_curve *curve = &sensitivity->curve[i];
        json_t *points = must(json_array());
        for (size_t k = 0; k < curve->count; k++)
            json_add(points, point_to_json(&curve->point[k]));
        json_add(array, json_pack("{s:s, s:o}", "kind", curve->kind, "points", points));
    }
    return array;
}

static bool add_point(struct sensitivity *sensitivity, const char *kind, const json_t *json)
{
    struct sensitivity_point point = sensitivity_no_point();
    point.level = json_number_at(json, "level");
    point.achieved = json_number_at(json, "achieved");
    point.slowdown = json_number_at(json, "slowdown");
    point.low = json_bound_at(json, 0);
    point.high = json_bound_at(json, 1);
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
    *sensitivity = (struct sensitivity){.confidence = confidence};
    if (!json_is_array(array))
        return false;
    json_array_foreach(array, i, curve)
    {
        const char *kind = json_string_value(json_object_get(curve, "kind"));
        json_array_foreach(json_object_get(curve, "points"), k, point)
        {
            if (!kind || !add_point(sensitivity, kind, point))
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
    if (!spec || json_array_size(json_object_get(load, "parts")) != 1 ||
        !kind_of_spec(spec, &kind, level))
        return false;
    snprintf(name, SENSITIVITY_NAME, "%s", kinds[kind].name);
    return true;
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
    const json_t *condition = json_named(conditions, "name", name);
    const json_t *load = json_array_get(json_object_get(condition, "load"), 0);
    const json_t *alone = json_array_get(conditions, 0);
    point->achieved = json_number_at(load, "achieved") / json_number_at(load, "offered");
    point->load_cpus = json_number_at(load, "cpu_s") / mean_of(condition, "wall_s");
    point->cpu_ratio = cpu_s(alone) > 0 ? cpu_s(condition) / cpu_s(alone) : NAN;
}

// The slowdown of the wall time of one variant under one load.
static void take_slowdown(struct sensitivity *sensitivity, const json_t *result,
                          const json_t *slowdown)
{
    const char *metric = json_string_value(json_object_get(slowdown, "metric"));
    const char *name = json_string_value(json_object_get(slowdown, "condition"));
    char kind[SENSITIVITY_NAME];
    struct sensitivity_point point = sensitivity_no_point();
    if (!metric || !name || strcmp(metric, "wall_s") != 0 ||
        !recognise(json_named(json_object_get(result, "loads"), "name", name), kind, &point.level))
        return;
    point.slowdown = json_number_at(slowdown, "ratio");
    point.low = json_bound_at(slowdown, 0);
    point.high = json_bound_at(slowdown, 1);
    point.n = (size_t)json_integer_value(json_object_get(slowdown, "pairs"));
    take_load(&point, result, name);
    (void)sensitivity_add(sensitivity, kind, &point);
}

void sensitivity_from_result(struct sensitivity *sensitivity, const json_t *result)
{
    const json_t *slowdowns = json_object_get(result, "slowdowns");
    *sensitivity =
        (struct sensitivity){.confidence = json_confidence_at(json_object_get(result, "settings"))};
    for (size_t i = 0; i < json_array_size(slowdowns); i++)
        take_slowdown(sensitivity, result, json_array_get(slowdowns, i));
    sensitivity_fit(sensitivity);
}
