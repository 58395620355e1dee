#include "assemble.h"

#include "json.h"
#include "judge.h"
#include "messages.h"
#include "record.h"

#include "common/metric.h"
#include "common/schemas.h"

#include <stdio.h>
#include <string.h>

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
