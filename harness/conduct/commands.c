// What bash says to the conductor: a line each, fields separated by tabs; conduct --help lists
// them.

#include "conduct.h"

#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"
#include "harness/stats/verdicts.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the end: experiment.json, result.json, status.json ----

// What a scheduler counted, or why it counted nothing; null where there is none.
static json_t *step_accounting(const struct conduct *conduct)
{
    if (json_is_string(conduct->steps))
        return json_pack("{s:n, s:O}", "steps", "reason", conduct->steps);
    if (json_array_size(conduct->steps) > 0)
        return json_pack("{s:O, s:n}", "steps", conduct->steps, "reason");
    return json_null();
}

// This session's warnings with those of earlier ones, each once.
static void keep_warnings(struct conduct *conduct)
{
    json_t *json = conduct->experiment.json, *kept = json_object_get(json, "warnings");
    if (!kept && json_array_size(conduct->warnings) > 0)
        json_object_set(json, "warnings", conduct->warnings);
    JSON_EACH (warning, kept ? conduct->warnings : NULL)
        (void)json_add_once(kept, warning);
}

// What only this session knows, and why it ended where runs.jsonl does not show it.
static bool complete_experiment(struct conduct *conduct)
{
    json_t *json = conduct->experiment.json;
    const enum stop_reason reason = conduct->course.next.stop;
    if (conduct->after) {
        // Which files were others at the end of this session than at its beginning.
        JSON_EACH (input, changes_last_inputs(json)) {
            json_t *end = json_named(json_object_get(conduct->after, "inputs"), "word",
                                     json_text_at(input, "word"));
            if (end)
                json_object_set(input, "end", end);
        }
        json_object_del(conduct->after, "inputs");
        json_object_set(json, "after", conduct->after);
    }
    json_object_set_new(json, "step_accounting", step_accounting(conduct));
    keep_warnings(conduct);
    // How the machine was beside what it usually is; in a resumed experiment by all of its probes.
    json_auto_t *notes = json_array();
    json_auto_t *machine = machine_json(&conduct->course.session, notes);
    json_object_set_new(json, "unusual", usual_compare(json, machine));
    if (reason == STOP_MAX_TIME || reason == STOP_INTERRUPTED)
        json_object_set_new(json, "stopped", json_string(stop_names[reason]));
    return conduct_write_experiment(conduct);
}

// Writes all three, and answers `done` or `failed`. False if no answer can be written.
static bool take_finish(struct conduct *conduct, char *const *field)
{
    json_auto_t *result = NULL;
    struct stat status;
    conduct->folder.is_described = true; // it is written anew
    bool good = folder_sync(&conduct->folder) && complete_experiment(conduct);
    // What a program said on stderr is of no use where that was nothing.
    for (char *const *name = field + 1; *name; name++) {
        OWNED char *path = folder_file(&conduct->folder, *name);
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
            (void)unlink(path);
    }
    if (good) {
        result = result_build(&conduct->course.session);
        good = result_write(result, conduct->folder.path);
    }
    // What cannot be written has been said, or is in the folder's error.
    if (!good)
        return conduct_fail(conduct, "-", conduct->folder.error);
    status_write(&conduct->status, &conduct->course, "done", stop_names[conduct->course.next.stop]);
    conduct->has_ended = true;
    return conduct_answer(conduct, "done\t%s", verdicts_word(result));
}

enum { FIELDS_MAX = 512 };

struct command {
    const char *name;
    size_t fields;                                             // that it needs, itself included
    bool (*take)(struct conduct *conduct, char *const *field); // NULL is behind the last one
};

// ---- the programs, and what is to be done around runs

static bool is_probe(const char *id)
{
    return strcmp(id, "probe") == 0;
}

static bool open_source(struct conduct *conduct, const struct source *source, const char *lines,
                        const char *orders)
{
    if (sources_open(&conduct->sources, source, lines, orders))
        return conduct_answer(conduct, "ok");
    OWNED char *text = text_of(
        "%.150s cannot be opened (%s): leave that folder alone while jostle runs, or set TMPDIR "
        "to another",
        lines, strerror(errno));
    return conduct_fail(conduct, "-", text);
}

// meter, service, and probe, which may end or fail: LINES ORDERS
static bool take_source(struct conduct *conduct, char *const *field)
{
    const struct source source = {.id = field[0], .name = field[0], .optional = is_probe(field[0])};
    return open_source(conduct, &source, field[1], field[2]);
}

// load INDEX NAME CONDITION NODE LINES ORDERS
static bool take_load(struct conduct *conduct, char *const *field)
{
    const struct source source = {
        .id = field[1], .name = field[2], .condition = field[3], .node = field[4]};
    return open_source(conduct, &source, field[5], field[6]);
}

// condition VARIANT SERVICE HOOK...
static bool take_condition(struct conduct *conduct, char *const *field)
{
    struct part part = {0};
    if (conduct->parts == conduct->experiment.settings.condition_count ||
        units_integer(field[1], &part.variant) != 0 || units_integer(field[2], &part.service) != 0)
        return conduct_fail(conduct, "-",
                            "condition: each needs VARIANT and SERVICE, which are numbers");
    for (size_t i = 3; field[i]; i++)
        for (enum hook hook = 0; hook < HOOKS; hook++)
            part.hook[hook] = part.hook[hook] || strcmp(field[i], hook_names[hook]) == 0;
    conduct->part[conduct->parts++] = part;
    return true;
}

static struct source *find_source(struct conduct *conduct, const char *id)
{
    struct source *source = sources_find(&conduct->sources, id);
    if (!source)
        (void)conduct_fail(conduct, id, "no such source: name it with meter or load first");
    return source;
}

// await EVENT SOURCE...
static bool take_await(struct conduct *conduct, char *const *field)
{
    // What follows may be read meanwhile, into the place of these.
    OWNED char *event = must(strdup(field[1]));
    for (size_t i = 2; field[i]; i++) {
        struct source *source = find_source(conduct, field[i]);
        if (!source)
            return true;
        await_event(source, event);
    }
    return !wait_answered(conduct, event) || conduct_answer(conduct, "ok");
}

// tell LINE SOURCE...
static bool take_tell(struct conduct *conduct, char *const *field)
{
    for (size_t i = 2; field[i]; i++) {
        const struct source *source = find_source(conduct, field[i]);
        if (source)
            source_tell(source, "%s\n", field[1]);
    }
    return true;
}

// close SOURCE...
static bool take_close(struct conduct *conduct, char *const *field)
{
    for (size_t i = 1; field[i]; i++) {
        struct source *source = sources_find(&conduct->sources, field[i]);
        if (source)
            source_close(source);
    }
    return true;
}

// That there cannot be an interval is not found out after hours.
static void warn_of_few(const struct conduct *conduct)
{
    const struct settings *settings = &conduct->experiment.settings;
    const double confidence = metric_planned_confidence(&conduct->course.session);
    const size_t needed = statistic_runs(settings->statistic, confidence);
    const bool gate = settings_has_gate(settings);
    if (settings->max_runs < needed && (gate || settings->statistic != STATISTIC_MEAN))
        complain("an interval%s%s%s needs %zu runs of each condition, and there will be at most "
                 "%zu: allow more with --max-runs or --runs",
                 gate ? " that is looked at after each block" : "",
                 settings->statistic == STATISTIC_TYPICAL ? "" : " of --statistic ",
                 settings->statistic == STATISTIC_TYPICAL ? ""
                                                          : statistic_names[settings->statistic],
                 needed, settings->max_runs);
}

// Microseconds of a command, as seconds; `absent` where it has none, or `-`. False: it is no
// number.
static bool take_us(const char *text, double absent, double *seconds)
{
    int64_t us = 0;
    const bool given = text && strcmp(text, "-") != 0;
    const bool good = !given || units_integer(text, &us) == 0;
    *seconds = given ? (double)us * 1e-6 : absent;
    return good;
}

static bool take_begin(struct conduct *conduct, char *const *field)
{
    double now_s, uptime_s;
    if (!take_us(field[1], 0, &now_s) || !take_us(field[1] ? field[2] : NULL, NAN, &uptime_s))
        return conduct_fail(conduct, "-", "begin: a time is a number of microseconds");
    const bool is_complete = json_object_get(conduct->experiment.json, "after") != NULL &&
                             record_is_there(conduct->folder.path, "result.json", SCHEMA_RESULT);
    conduct->course.probe.wanted = field[3] && strcmp(field[3], "probe") == 0;
    course_choose(&conduct->course);
    if (conduct->course.next.stop == STOP_NOT && conduct->earlier > 0 && !conduct->request->quiet)
        complain("continuing after %zu run%s in %s", conduct->earlier,
                 conduct->earlier == 1 ? "" : "s", conduct->folder.path);
    if (conduct->course.next.stop == STOP_NOT && !conduct->request->quiet)
        warn_of_few(conduct);
    // What is complete is left as it is; but a power cut may have come before its status, which is
    // not flushed, and nobody else would ever say that it is done.
    if (conduct->course.next.stop == STOP_NOT || !is_complete ||
        !status_is_done(conduct->folder.path)) {
        conduct->has_begun = conduct->course.next.stop == STOP_NOT || !is_complete;
        status_begin(&conduct->status, &conduct->experiment, conduct->folder.path, conduct->host,
                     (long)conduct->request->pid, now_s, uptime_s);
        status_write(&conduct->status, &conduct->course, conduct->has_begun ? "running" : "done",
                     conduct->has_begun ? NULL : stop_names[conduct->course.next.stop]);
    }
    return conduct->course.next.stop == STOP_NOT ? conduct_answer(conduct, "ready")
                                                 : stop_say(conduct);
}

// go [MAX_TIME_US [LEAST_RUNS [SHOWN [ended]]]]
static bool take_go(struct conduct *conduct, char *const *field)
{
    int64_t most_us = 0, least_runs = 0;
    struct making *making = &conduct->making;
    const char *word[] = {"0", "0", shown_names[SHOWN_NOTHING], ""};
    for (size_t i = 0; i < sizeof word / sizeof *word && field[i + 1]; i++)
        word[i] = field[i + 1];
    if (!sources_find(&conduct->sources, "meter"))
        return conduct_fail(conduct, "meter", "");
    if (conduct->parts != conduct->experiment.settings.condition_count ||
        units_integer(word[0], &most_us) != 0 || units_integer(word[1], &least_runs) != 0)
        return conduct_fail(conduct, "-",
                            "go: each condition is to be described before, and a time "
                            "is a number of microseconds");
    conduct->meter_ends = strcmp(word[3], "ended") == 0;
    making->most_ns = most_us * NS_PER_US;
    making->least_runs = (size_t)least_runs;
    for (enum shown i = 0; i <= SHOWN_ALL; i++)
        making->shown = strcmp(word[2], shown_names[i]) == 0 ? i : making->shown;
    return runs_make(conduct);
}

static bool take_ok(struct conduct *conduct, char *const *field)
{
    (void)field;
    conduct->making.owed = false;
    return true;
}

// Ends the runs, whatever is being made.
static bool take_end(struct conduct *conduct, char *const *field)
{
    (void)field;
    conduct->making.is_over = true;
    return conduct_answer(conduct, "made\t%zu", conduct->making.runs);
}

static bool take_after(struct conduct *conduct, char *const *field)
{
    json_decref(conduct->after);
    conduct->after = json_loads(field[1], 0, NULL);
    return json_is_object(conduct->after) ||
           conduct_fail(conduct, "-", "after: the counters are no JSON");
}

static json_t *integer_or_null(const char *text)
{
    int64_t value;
    return units_integer(text, &value) == 0 ? json_integer(value) : json_null();
}

static json_t *real_or_null(const char *text)
{
    double value;
    return units_real(text, &value) == 0 ? json_real(value) : json_null();
}

// step ID NAME TASKS ELAPSED_S CPU_S MAX_RSS_BYTES STATE, or: reason TEXT
static bool take_steps(struct conduct *conduct, char *const *field)
{
    if (field[8] && strcmp(field[1], "step") == 0 && json_is_array(conduct->steps)) {
        json_array_append_new(
            conduct->steps,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s?}", "step", field[2], "name", field[3],
                      "tasks", integer_or_null(field[4]), "elapsed_s", real_or_null(field[5]),
                      "cpu_s", real_or_null(field[6]), "max_rss_bytes", integer_or_null(field[7]),
                      "state", *field[8] ? field[8] : NULL));
    } else if (field[2] && strcmp(field[1], "reason") == 0) {
        json_decref(conduct->steps);
        conduct->steps = json_string(field[2]);
    }
    return true;
}

static bool take_warn(struct conduct *conduct, char *const *field)
{
    conduct_warn(conduct, NULL, field[1]);
    return true;
}

// undone LOAD TEXT: in the run that is made, that load has not a setting of its condition.
static bool take_undone(struct conduct *conduct, char *const *field)
{
    const struct source *load = sources_find(&conduct->sources, field[1]);
    json_t *entry = load ? json_pack("{s:s?, s:s}", "load", load->name, "text", field[2]) : NULL;
    const bool good = entry && json_add_once(conduct->undone, entry);
    json_decref(entry);
    return good || load || conduct_fail(conduct, "-", "undone: no such load");
}

// left: what the user has turned on, or had to be removed, is still there; that is kept however we
// end.
static bool take_left(struct conduct *conduct, char *const *field)
{
    conduct->has_left = true;
    return take_warn(conduct, field);
}

static bool take_ended(struct conduct *conduct, char *const *field)
{
    if (conduct->has_left && conduct->has_begun) {
        keep_warnings(conduct);
        (void)conduct_write_experiment(conduct);
    }
    if (conduct->has_begun)
        status_write(&conduct->status, &conduct->course, field[1],
                     field[2] && *field[2] ? field[2] : NULL);
    conduct->has_ended = true;
    return true;
}

static const struct command commands[] = {
    {"meter", 3, take_source},
    {"service", 3, take_source},
    {"probe", 3, take_source},
    {"load", 7, take_load},
    {"await", 3, take_await},
    {"tell", 3, take_tell},
    {"condition", 3, take_condition},
    {"begin", 1, take_begin},
    {"go", 1, take_go},
    {"ok", 1, take_ok},
    {"undone", 3, take_undone},
    {"end", 1, take_end},
    {"close", 2, take_close},
    {"after", 2, take_after},
    {"steps", 2, take_steps},
    {"warn", 2, take_warn},
    {"left", 2, take_left},
    {"finish", 1, take_finish},
    {"ended", 2, take_ended},
};

bool commands_take(struct conduct *conduct, char *line)
{
    char *field[FIELDS_MAX + 1] = {NULL};
    size_t count = 0;
    for (char *rest = line; rest && count < FIELDS_MAX;)
        field[count++] = strsep(&rest, "\t");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, field[0]) == 0 && count >= commands[i].fields)
            return commands[i].take(conduct, field);
    return conduct_fail(conduct, "-", "no such command: conduct --help lists them");
}
