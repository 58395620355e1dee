// Takes from a line of runs.jsonl what the statistics need.
#include "record.h"

#include "messages.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct run run_of(const json_t *record)
{
    struct run run;
    (void)run_read(&run, node_of_json(record));
    return run;
}

enum failure judge_failure(const json_t *record)
{
    const struct run run = run_of(record);
    return run_failure(&run);
}

int judge_exit_code(const json_t *record)
{
    const struct run run = run_of(record);
    return run_exit_code(&run);
}

bool judge_counts(const json_t *record, const struct ignored *ignored)
{
    const struct run run = run_of(record);
    return failure_counts(run_failure(&run), run_exit_code(&run), ignored);
}

char *judge_failure_text(const json_t *record)
{
    const struct run run = run_of(record);
    return failure_text(&run);
}

json_t *judge_flags(const json_t *record, double cpus, bool shared)
{
    _Static_assert(FLAG_SHARED_NODE - FLAG_STEAL + 1 == DISTURBANCES, "a flag for each");
    struct run run = run_of(record);
    json_t *flags = must(json_array());
    run_read_use(&run, node_of_json(record));
    if (run_is_short(&run))
        json_add(flags, json_text(flag_name(FLAG_LOAD_SHORT)));
    const unsigned disturbances = run_disturbances(&run, cpus, shared);
    for (enum disturbance i = 0; i < DISTURBANCES; i++)
        if (disturbances >> i & 1)
            json_add(flags, json_text(flag_name(FLAG_STEAL + i)));
    run_free(&run);
    return flags;
}

// A whole number from 0 on, 0 where it is not known. False for anything else.
static bool whole(double number, size_t *value)
{
    *value = number > 0 && number <= (double)MAX_RUNS_LIMIT * MAX_CONDITIONS ? (size_t)number : 0;
    return isnan(number) || number == (double)*value;
}

// What a run in which it is not above 0 did not show; where ratios are made of it.
static bool is_no_ratio(const struct settings *settings, size_t metric, double value)
{
    return settings_needs_positive(settings, metric) && value <= 0; // false for NAN
}

// The values, and whether one of them makes a run a failed one.
static void take_values(const struct settings *settings, const json_t *record, const struct run *is,
                        struct observation *run)
{
    run->failure = run_failure(is);
    run->exit_code = run_exit_code(is);
    for (size_t i = 0; i < settings->metrics.count; i++) {
        run->value[i] = figure_of_run(settings->metrics.item[i].name, is, node_of_json(record));
        if (!is_no_ratio(settings, i, run->value[i]))
            continue;
        run->value[i] = NAN;
        if (run->failure == FAILURE_NONE)
            run->failure = FAILURE_METRIC;
    }
}

// A rate that was not sent is not kept, however good the answers were: by so much it is too far.
static void take_unsent(const struct settings *settings, const json_t *record,
                        struct observation *run)
{
    const double done = settings->achieved && settings_varies_rate(settings)
                            ? figure_recorded(settings->achieved, node_of_json(record))
                            : NAN;
    const double short_by = run->x + log(SHORT_OF_DUE) - log(done);
    if (!(short_by > 0) || !(run->y <= 0))
        return;
    run->unsent = true;
    run->y = short_by;
}

// Where a run was, and how far from the objectives: the largest distance of all (capacity.c). One
// that failed and counts did not keep them; one without a figure failed.
static void take_capacity(const struct settings *settings, const json_t *record,
                          struct observation *run)
{
    run->x = run->y = NAN;
    if (!settings_has_capacity(settings))
        return;
    run->missed = failure_is_answer(run->failure, true);
    if (run->missed)
        run->failure = FAILURE_NONE;
    run->x = log(json_number_at(json_object_get(record, "vary"), settings->vary.name));
    const bool has_figures = run->failure == FAILURE_NONE && !run->missed;
    run->y = has_figures ? -INFINITY : INFINITY;
    for (size_t i = 0; has_figures && i < settings->objectives.count; i++) {
        const struct objective *one = &settings->objectives.item[i];
        const double figure = figure_recorded(one->metric, node_of_json(record));
        if (isnan(figure))
            run->failure = FAILURE_METRIC;
        run->y =
            isnan(figure) || isnan(run->y) ? NAN : fmax(run->y, objective_distance(one, figure));
    }
    take_unsent(settings, record, run);
}

static bool note(json_t *record, const char *metric, const char *reason)
{
    return json_object_set_new(record, "metric_failure",
                               json_pack("{s:s, s:s}", "metric", metric, "reason", reason)) == 0;
}

// Why a run has no value of what jostle itself measures.
static const char *why_none(const struct builtin_metric *metric, const json_t *record)
{
    const json_t *stalls = json_object_get(record, "stalls");
    return metric->without_wait && !isnan(json_number_at(stalls, "cpu_s"))
               ? "several of its threads or processes may have waited at once, and how much of "
                 "that "
                 "is in its wall time is not known"
               : "not counted on this machine";
}

void record_note_failure(const struct settings *settings, json_t *record)
{
    const struct objectives *objectives = &settings->objectives;
    const struct run is = run_of(record);
    char reason[64];
    bool failed = run_failure(&is) != FAILURE_NONE;
    for (size_t i = 0; i < settings->metrics.count && !failed; i++) {
        const struct metric_setting *one = &settings->metrics.item[i];
        const double value = figure_of_run(one->name, &is, node_of_json(record));
        snprintf(reason, sizeof reason, "is %.6g, and a ratio needs more than 0", value);
        // Of what every run has only old records lack some.
        if (one->chosen && one->builtin && i >= BASIC_METRICS && isnan(value))
            failed = note(record, one->name, why_none(one->builtin, record));
        else if (is_no_ratio(settings, i, value))
            failed = note(record, one->name, reason);
    }
    for (size_t i = 0; i < objectives->count && !failed; i++)
        if (isnan(figure_recorded(objectives->item[i].metric, node_of_json(record))))
            failed =
                note(record, objectives->item[i].metric, "has no value, and --slo is about it");
}

enum record_status record_take(const struct settings *settings, const json_t *record,
                               const struct run *is, struct observation *run, char *why,
                               size_t why_size)
{
    const char *name = is->condition;
    if (!json_is_object(record)) {
        snprintf(why, why_size, "it is no JSON object");
        return RECORD_BROKEN;
    }
    // One condition needs no name: so meter's own lines can be fed as they are.
    const int unnamed = settings->condition_count == 1 ? 0 : -1;
    run->condition = name ? settings_condition(settings, name) : unnamed;
    if (run->condition < 0) {
        snprintf(why, why_size, "its condition is %s%s, which is none of --conditions",
                 name ? "" : "not named", name ? name : "");
        return RECORD_FOREIGN;
    }
    take_values(settings, record, is, run);
    take_capacity(settings, record, run);
    if (!whole(is->block, &run->block) || !whole(is->order, &run->order)) {
        snprintf(why, why_size, "its block or order is no whole number that is possible");
        return RECORD_BROKEN;
    }
    run->start = is->is_start;
    run->washout = is->is_washout;
    if (!whole(is->washout_runs, &run->washed)) {
        snprintf(why, why_size, "its washout_runs is no whole number that is possible");
        return RECORD_BROKEN;
    }
    if (run_use(is) != RUN_MEASURED)
        return run_use(is) == RUN_IS_SET_ASIDE ? RECORD_SET_ASIDE : RECORD_WARM_UP;
    if (isnan(run->value[WALL_S]) && run->failure == FAILURE_NONE) {
        snprintf(why, why_size, "it has no wall_s that is a number, 0 or more");
        return RECORD_BROKEN;
    }
    return RECORD_OK;
}

bool record_is_known(const json_t *record, const char *path, size_t line)
{
    const char *schema = json_text_at(record, "schema");
    return !schema || strncmp(schema, "jostle.run/", 11) != 0 || strcmp(schema, SCHEMA_RUN) == 0 ||
           complain("%s: line %zu has the schema %s, and this version reads %s: use the jostle "
                    "that made it",
                    path, line, schema, SCHEMA_RUN);
}

double elapsed_time(const char *text)
{
    struct tm utc = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
    if (!rest)
        return NAN;
    char *end = (char *)rest;
    const double fraction = *rest == '.' ? strtod(rest, &end) : 0;
    return *end == 'Z' ? (double)timegm(&utc) + fraction : NAN;
}
