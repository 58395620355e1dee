#include "record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/messages.h"
#include "common/metric.h"
#include "common/metric_json.h"
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
               ? fmin(wall_s, judge_number(record, "timed_out_s")) // the number, of one and NAN
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
    run->x = log(judge_number(json_object_get(record, "vary"), settings->vary.name));
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

// Whether the distance from that objective is not known.
static bool is_missing(const struct objective *objective, const json_t *record)
{
    return isnan(metric_value(objective->metric, record));
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
        if (is_missing(&objectives->item[i], record))
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

enum record_status record_parse(const struct settings *settings, const char *line,
                                struct observation *run, json_t **record, char *why,
                                size_t why_size)
{
    json_error_t error;
    *record = json_loads(line, JSON_REJECT_DUPLICATES, &error);
    if (!*record) {
        snprintf(why, why_size, "it is no JSON object: %s", error.text);
        return RECORD_BROKEN;
    }
    return record_take(settings, *record, run, why, why_size);
}

static json_t *load_json(const struct assembly *assembly, const struct assembly_load *load)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(load->name));
    if (load->node) {
        json_object_set_new(object, "node", json_string(load->node));
        json_object_set_new(object, "mark_delay_s", json_real(assembly->mark_delay_s));
    }
    json_object_update(object, (json_t *)load->mark);
    json_object_del(object, "event");
    json_object_del(object, "mark");
    return object;
}

static json_t *without_event(const json_t *event)
{
    json_t *object = event ? json_copy((json_t *)event) : json_null();
    json_object_del(object, "event");
    return object;
}

static json_t *flags_json(const struct assembly *assembly, const json_t *record)
{
    const json_t *loads = json_object_get(record, "load");
    json_t *flags = json_array();
    bool is_short = false;
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const struct delivery delivery = judge_delivery(record, json_array_get(loads, i));
        is_short = is_short || judge_short(&delivery);
    }
    if (is_short)
        json_array_append_new(flags, json_string(flag_name(FLAG_LOAD_SHORT)));
    judge_disturbances(record, assembly->cpus, assembly->shared, flags);
    if (assembly->block == 0)
        json_array_append_new(flags, json_string(assembly->washout ? "washout" : "warmup"));
    return flags;
}

json_t *assemble_run(const struct assembly *assembly)
{
    json_t *record = json_pack("{s:s, s:s, s:I, s:I, s:s, s:s?}", "schema", SCHEMA_RUN, "condition",
                               assembly->condition, "block", (json_int_t)assembly->block, "order",
                               (json_int_t)assembly->order, "host", assembly->host, "variant",
                               assembly->variant);
    json_t *loads = json_array();
    const char *key;
    json_t *value;
    if (assembly->washout)
        json_object_set_new(record, "washout", json_true());
    if (assembly->washed > 0)
        json_object_set_new(record, "washout_runs", json_integer((json_int_t)assembly->washed));
    if (assembly->vary)
        json_object_set_new(record, "vary",
                            json_pack("{s:o}", assembly->vary, json_figure(assembly->varied)));
    json_object_foreach((json_t *)assembly->meter, key, value)
    {
        if (strcmp(key, "schema") != 0)
            json_object_set(record, key, value);
    }
    for (size_t i = 0; i < assembly->load_count; i++)
        json_array_append_new(loads, load_json(assembly, &assembly->loads[i]));
    if (assembly->probe)
        json_object_set_new(record, "probe", without_event(assembly->probe));
    json_object_set_new(record, "service", without_event(assembly->service));
    if (json_object_set_new(record, "load", loads) != 0 ||
        json_object_set_new(record, "flags", flags_json(assembly, record)) != 0) {
        json_decref(record);
        return NULL;
    }
    return record;
}

// The member of that name, or null.
static json_t *member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return value ? json_incref(value) : json_null();
}

static json_t *first(const json_t *object, const char *name)
{
    json_t *value = json_array_get(json_object_get(object, name), 0);
    return value ? json_incref(value) : json_null();
}

bool assemble_hyperfine(json_t *meter, const json_t *exported)
{
    const json_t *result = json_array_get(json_object_get(exported, "results"), 0);
    json_t *exit_code = first(result, "exit_codes");
    if (!json_is_number(json_array_get(json_object_get(result, "times"), 0))) {
        json_decref(exit_code);
        return false;
    }
    json_object_set_new(meter, "wall_s", first(result, "times"));
    json_object_set_new(meter, "user_s", member(result, "user"));
    json_object_set_new(meter, "system_s", member(result, "system"));
    json_object_set_new(meter, "max_rss_bytes", first(result, "memory_usage_byte"));
    if (!json_is_null(exit_code)) // else meter knows the signal
        json_object_set_new(meter, "signal", json_null());
    json_object_set_new(meter, "exit_code", exit_code);
    json_object_set_new(meter, "tree_peak_bytes", json_null());
    json_object_set_new(meter, "stalls", json_null());
    json_object_set_new(meter, "accounting", json_string("hyperfine"));
    return true;
}

// is_stopped: by the terminal, which is what a start error of a target that ran says.
static bool is_stopped(const json_t *record)
{
    return judge_failure(record) == FAILURE_NOT_STARTED && judge_number(record, "stops") > 0;
}

// What the target printed may have any character; an answer is one line with tabs.
static void without_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ')
            *text = ' ';
}

static const char *failure_part(const json_t *record, const char *name)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(record, "metric_failure"), name));
    return text ? text : "?";
}

const char *assemble_failure(const json_t *record, char *text, size_t size)
{
    switch (judge_failure(record)) {
    case FAILURE_TIMED_OUT:
        snprintf(text, size, "ran into the time-out after %.3g s", judge_number(record, "wall_s"));
        break;
    case FAILURE_NOT_STARTED:
        snprintf(text, size,
                 is_stopped(record) ? "was stopped: it %s" : "could not be started (%s)",
                 json_string_value(json_object_get(record, "start_error")));
        break;
    case FAILURE_METRIC:
        snprintf(text, size, "made no figure %s: %s", failure_part(record, "metric"),
                 failure_part(record, "reason"));
        without_controls(text);
        break;
    case FAILURE_SERVICE:
        snprintf(text, size, "%s",
                 json_string_value(json_object_get(json_object_get(record, "service"), "died")));
        break;
    case FAILURE_SIGNAL:
        snprintf(text, size, "was ended by signal %.0f", judge_number(record, "signal"));
        break;
    default:
        snprintf(text, size, "failed with exit code %.0f", judge_number(record, "exit_code"));
        break;
    }
    return text;
}

const char *assemble_culprit(const json_t *record)
{
    return judge_failure(record) == FAILURE_SERVICE ? "service" : "target";
}

// Where the output of a run without its figure is kept: the stream that the reason names, or
// stdout. NULL: nowhere.
static const char *kept_output(const json_t *record)
{
    const json_t *output = json_object_get(record, "output");
    const bool is_stderr = strstr(failure_part(record, "reason"), "stderr") != NULL;
    return json_string_value(json_object_get(output, is_stderr ? "stderr" : "stdout"));
}

// How to go on, in the words of the command that people gave: a cell is measured by a campaign.
struct again {
    const char *resume, *ignore, *prepare;
};
static const struct again again_alone = {"--resume", "--ignore-failure", "--prepare 'rm -f FILE'"},
                          again_cell = {"--retry-failed", "ignore-failure = true",
                                        "prepare = rm -f FILE"};

static const char *advice_on_metric(const json_t *record, const char *folder,
                                    const struct again *again, char *text, size_t size)
{
    const char *kept = kept_output(record);
    if (builtin_metric(failure_part(record, "metric")))
        return "leave it out of --metric, or measure as root or on another machine";
    const bool is_kept = kept != NULL;
    snprintf(text, size,
             "%s%s%s%s%sfix the command and continue with %s, or the definition and start "
             "again; with %s such a run's other figures count",
             is_kept ? "see " : "", is_kept ? folder : "", is_kept ? "/" : "", is_kept ? kept : "",
             is_kept ? ": " : "", again->resume, again->ignore);
    return text;
}

const char *assemble_advice(const json_t *record, const char *folder, bool is_first, bool is_cell,
                            char *text, size_t size)
{
    const struct again *again = is_cell ? &again_cell : &again_alone;
    const struct ignored all = {.any = true};
    if (judge_failure(record) == FAILURE_METRIC)
        return advice_on_metric(record, folder, again, text, size);
    if (judge_failure(record) == FAILURE_SERVICE)
        snprintf(
            text, size,
            "what it wrote is in service.stderr and service.stdout; fix it and continue with %s",
            again->resume);
    else if (is_stopped(record))
        snprintf(text, size,
                 "a program that is measured cannot use the terminal: give its input with --input "
                 "FILE, and continue with %s",
                 again->resume);
    else if (!is_first && judge_failure(record) == FAILURE_EXIT)
        snprintf(text, size,
                 "runs before succeeded: if they leave something, remove it before each with %s; "
                 "else fix it and continue with %s, or start again with %s",
                 again->prepare, again->resume, again->ignore);
    else if (judge_counts(judge_failure(record), judge_exit_code(record), &all))
        snprintf(text, size, "fix it and continue with %s, or start again with %s", again->resume,
                 again->ignore);
    else
        snprintf(text, size, "check the command, and continue with %s", again->resume);
    return text;
}
