/* A reference as it is kept. */

#include "reference.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t count(const json_t *object, const char *name)
{
    const json_int_t value = json_integer_value(json_object_get(object, name));
    return value > 0 ? (size_t)value : 0;
}

static void take_quiet(struct reference *reference, const json_t *all)
{
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++) {
        const json_t *record = json_object_get(all, reporters[reporter].name);
        struct reference_quiet *quiet = &reference->quiet[reporter];
        const double value = json_number_at(record, "value");
        if (!(value > 0)) {
            /* Without a reason it stays "not measured": "" would say that there is a value. */
            const char *reason = json_text_at(record, "reason");
            if (reason != NULL && *reason != '\0')
                json_copy_text(record, "reason", quiet->reason, sizeof quiet->reason);
            continue;
        }
        *quiet = (struct reference_quiet){
            .value = value,
            .error = json_number_at(record, "error"),
            .median = json_number_at(record, "median"),
            .spread = json_number_at(record, "spread"),
            .correlation = json_number_at(record, "correlation"),
            .between = json_number_at(record, "between"),
            .freedom = json_number_at(record, "freedom"),
            .windows = count(record, "windows"),
            .runs = count(record, "n"),
        };
    }
}

/* Older references have none. */
static void take_activity(struct reference *reference, const json_t *all)
{
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        const json_t *record = json_object_get(all, activities[a].name);
        reference->activity[a] = (struct reference_activity){
            .value = json_number_at(record, "value"), .between = json_number_at(record, "between")};
    }
}

/* The index of a level that was calibrated; REFERENCE_POINTS: it is none of them. */
static size_t point_at(const struct invert_curves *curves, double level)
{
    size_t point = 0;
    while (point < REFERENCE_POINTS && !(fabs(curves->level[point] - level) < 1e-6))
        point++;
    return point;
}

/* What one sign shows beside a kind, at one of its levels. */
static void take_reading(struct invert_curves *curves, enum kind kind, size_t point, size_t sign,
                         const json_t *reading)
{
    const double fitted = json_number_at(reading, "fitted");
    curves->value[kind][point][sign] = fitted;
    curves->variance[kind][point][sign] = pow(json_number_at(reading, "fitted_error"), 2);
    if (isfinite(fitted))
        curves->value[kind][0][sign] = curves->variance[kind][0][sign] = 0;
}

static void take_point(struct reference *reference, enum kind kind, const json_t *record)
{
    const json_t *done = json_object_get(record, "activity");
    const size_t point = point_at(&reference->curves, json_number_at(record, "level"));
    const json_t *readings = json_object_get(record, "reporters");
    if (point == 0 || point == REFERENCE_POINTS)
        return;
    reference->achieved[kind][point] = json_number_at(record, "achieved");
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        take_reading(&reference->curves, kind, point, reporter,
                     json_object_get(readings, reporters[reporter].name));
    for (enum activity a = 0; a < ACTIVITIES; a++)
        take_reading(&reference->curves, kind, point, REPORTERS + a,
                     json_object_get(done, activities[a].name));
}

static void take_curve(struct reference *reference, const json_t *record)
{
    const char *name = json_string_value(json_object_get(record, "kind"));
    const json_t *points = json_object_get(record, "points"), *one;
    const enum kind kind = name == NULL ? KINDS : kind_find(name);
    size_t i;
    if (kind == KINDS)
        return;
    if (json_array_size(points) == 0) {
        json_copy_text(record, "reason", reference->kind_reason[kind],
                       sizeof *reference->kind_reason);
        return;
    }
    *reference->kind_reason[kind] = '\0';
    reference->curves.usable[kind] = true;
    json_array_foreach(points, i, one) take_point(reference, kind, one);
}

bool reference_from_json(const json_t *record, struct reference *reference, char *why, size_t size)
{
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const json_t *curves = json_object_get(record, "curves"), *one;
    size_t i;
    reference_begin(reference);
    if (schema == NULL || strcmp(schema, SCHEMA_PROBE_REFERENCE) != 0) {
        snprintf(why, size,
                 "it is no " SCHEMA_PROBE_REFERENCE ": make one with jostle probe --reference");
        return false;
    }
    json_copy_text(record, "host", reference->host, sizeof reference->host);
    json_copy_text(record, "place", reference->place, sizeof reference->place);
    json_copy_text(record, "made", reference->made, sizeof reference->made);
    json_copy_text(record, "jostle", reference->jostle, sizeof reference->jostle);
    json_copy_text(record, "kernel", reference->kernel, sizeof reference->kernel);
    json_copy_text(record, "machine", reference->machine, sizeof reference->machine);
    json_copy_text(record, "disturbed", reference->disturbed, sizeof reference->disturbed);
    json_copy_text(json_object_get(record, "cpus"), "target", reference->target_cpus,
                   sizeof reference->target_cpus);
    json_copy_text(json_object_get(record, "cpus"), "loads", reference->load_cpus,
                   sizeof reference->load_cpus);
    reference->sample_s = json_number_at(record, "sample_s");
    take_quiet(reference, json_object_get(record, "quiet"));
    take_activity(reference, json_object_get(record, "activity"));
    json_array_foreach(curves, i, one) take_curve(reference, one);
    return true;
}

bool reference_read(const char *path, struct reference *reference, char *why, size_t size)
{
    json_error_t error;
    json_t *record = json_read_record(path, 0, &error);
    if (record == NULL) {
        snprintf(why, size, "%.160s: make one with jostle probe --reference", error.text);
        return false;
    }
    const bool good = reference_from_json(record, reference, why, size);
    json_decref(record);
    snprintf(reference->file, sizeof reference->file, "%s", path);
    return good;
}
