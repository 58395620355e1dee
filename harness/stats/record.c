#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/messages.h"
#include "common/metric.h"
#include "common/metric_json.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "json.h"
#include "judge.h"
#include "messages.h"

// JSON null and an absent field both mean "not known".
static const json_t *field(const json_t *record, const char *name)
{
    const json_t *value = json_object_get(record, name);
    return json_is_null(value) ? NULL : value;
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

// What a run in which it is not above 0 did not show; where ratios are made of it.
static bool is_no_ratio(const struct settings *settings, size_t metric, double value)
{
    return settings_needs_positive(settings, metric) && value <= 0; // false for NAN
}

static double value_of(const struct settings *settings, const json_t *record, size_t metric)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    if (!one->builtin)
        return metric_value(one->name, record);
    const double value = builtin_metric_value(one->builtin, record);
    return value < 0 ? NAN : value; // false for NAN
}

// How long it took, at least: of a run that the time-out ended, not what it took to die.
static double wall_of(const json_t *record, double wall_s)
{
    return json_is_true(field(record, "timed_out"))
               ? fmin(wall_s, json_number_at(record, "timed_out_s")) // the number, of one and NAN
               : wall_s;
}

// The values, and whether one of them makes a run a failed one.
static void take_values(const struct settings *settings, const json_t *record,
                        struct observation *run)
{
    run->failure = judge_failure(record);
    run->exit_code = judge_exit_code(record);
    for (size_t i = 0; i < settings->metrics.count; i++) {
        run->value[i] = value_of(settings, record, i);
        if (i == WALL_S)
            run->value[i] = wall_of(record, run->value[i]);
        // What the time-out cut short printed less, or nothing: that bounds no figure.
        if (!settings->metrics.item[i].builtin && run->failure == FAILURE_TIMED_OUT)
            run->value[i] = NAN;
        if (!is_no_ratio(settings, i, run->value[i]))
            continue;
        run->value[i] = NAN;
        if (run->failure == FAILURE_NONE)
            run->failure = FAILURE_METRIC;
    }
}

// Why a chosen metric of a new record cannot be used; false where it can. Of what every run
// has only old records lack some.
static bool is_unusable(const struct settings *settings, size_t metric, double value, char *reason,
                        size_t size)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    if (one->chosen && one->builtin && metric >= BASIC_METRICS && isnan(value)) {
        snprintf(reason, size, "not counted on this machine");
        return true;
    }
    snprintf(reason, size, "is %.6g, and a ratio needs more than 0", value);
    return is_no_ratio(settings, metric, value);
}

// The distance of a run from the objectives, as threshold.h has it: the largest of all. NAN
// where a figure is missing.
static double distance_of(const struct settings *settings, const json_t *record)
{
    double farthest = -INFINITY;
    for (size_t i = 0; i < settings->objectives.count; i++) {
        const struct objective *one = &settings->objectives.item[i];
        const double figure = metric_value(one->metric, record);
        if (isnan(figure))
            return NAN;
        farthest = fmax(farthest, objective_distance(one, figure));
    }
    return farthest;
}

// Where a run was, and how far from the objectives. One that failed and counts did not keep
// them.
static void take_capacity(const struct settings *settings, const json_t *record,
                          struct observation *run)
{
    run->x = run->y = NAN;
    if (!settings_has_capacity(settings))
        return;
    run->missed = run->failure == FAILURE_TIMED_OUT;
    if (run->missed)
        run->failure = FAILURE_NONE;
    run->x = log(json_number_at(json_object_get(record, "vary"), settings->vary.name));
    const bool has_figures = run->failure == FAILURE_NONE && !run->missed;
    run->y = has_figures ? distance_of(settings, record) : INFINITY;
    if (isnan(run->y))
        run->failure = FAILURE_METRIC;
}

static void note(json_t *record, const char *metric, const char *reason)
{
    json_object_set_new(record, "metric_failure",
                        json_pack("{s:s, s:s}", "metric", metric, "reason", reason));
}

void record_note_failure(const struct settings *settings, json_t *record)
{
    const struct objectives *objectives = &settings->objectives;
    char reason[64];
    for (size_t i = 0; i < settings->metrics.count && judge_failure(record) == FAILURE_NONE; i++) {
        if (!is_unusable(settings, i, value_of(settings, record, i), reason, sizeof reason))
            continue;
        note(record, settings->metrics.item[i].name, reason);
    }
    for (size_t i = 0; i < objectives->count && judge_failure(record) == FAILURE_NONE; i++)
        if (isnan(metric_value(objectives->item[i].metric, record)))
            note(record, objectives->item[i].metric, "has no value, and --slo is about it");
}

static enum record_status fill(const struct settings *settings, const json_t *record,
                               struct observation *run, char *why, size_t why_size)
{
    const char *name = json_string_value(field(record, "condition"));
    // One condition needs no name: so meter's own lines can be fed as they are.
    run->condition = name                             ? settings_condition(settings, name)
                     : settings->condition_count == 1 ? 0
                                                      : -1;
    if (run->condition < 0) {
        snprintf(why, why_size, "its condition is %s%s, which is none of --conditions",
                 name ? "" : "not named", name ? name : "");
        return RECORD_FOREIGN;
    }
    take_values(settings, record, run);
    take_capacity(settings, record, run);
    if (!whole(record, "block", &run->block) || !whole(record, "order", &run->order)) {
        snprintf(why, why_size, "its block or order is no whole number that is possible");
        return RECORD_BROKEN;
    }
    run->washout = json_is_true(json_object_get(record, "washout"));
    if (!whole(record, "washout_runs", &run->washed)) {
        snprintf(why, why_size, "its washout_runs is no whole number that is possible");
        return RECORD_BROKEN;
    }
    if (field(record, "block") && run->block == 0)
        return field(record, "set_aside") ? RECORD_SET_ASIDE : RECORD_WARM_UP;
    if (isnan(run->value[WALL_S]) && run->failure == FAILURE_NONE) {
        snprintf(why, why_size, "it has no wall_s that is a number, 0 or more");
        return RECORD_BROKEN;
    }
    return RECORD_OK;
}

bool record_is_known(const json_t *record, const char *path, size_t line)
{
    const char *schema = json_string_value(field(record, "schema"));
    return !schema || strncmp(schema, "jostle.run/", 11) != 0 || strcmp(schema, SCHEMA_RUN) == 0 ||
           complain("%s: line %zu has the schema %s, and this version reads %s: use the jostle "
                    "that made it",
                    path, line, schema, SCHEMA_RUN);
}

enum record_status record_take(const struct settings *settings, const json_t *record,
                               struct observation *run, char *why, size_t why_size)
{
    if (json_is_object(record))
        return fill(settings, record, run, why, why_size);
    snprintf(why, why_size, "it is no JSON object");
    return RECORD_BROKEN;
}
