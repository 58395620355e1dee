#include "hub.h"

#include "json.h"
#include "metrics.h"
#include "result.h"
#include "verdicts.h"

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
static json_t *step_accounting(const struct hub *hub)
{
    if (json_is_string(hub->steps))
        return json_pack("{s:n, s:O}", "steps", "reason", hub->steps);
    if (json_array_size(hub->steps) > 0)
        return json_pack("{s:O, s:n}", "steps", hub->steps, "reason");
    return json_null();
}

// This session's warnings with those of earlier ones, each once.
static void keep_warnings(struct hub *hub)
{
    json_t *json = hub->experiment.json, *kept = json_object_get(json, "warnings");
    if (!kept && json_array_size(hub->warnings) > 0)
        json_object_set(json, "warnings", hub->warnings);
    JSON_EACH (warning, kept ? hub->warnings : NULL)
        (void)json_add_once(kept, warning);
}

// What only this session knows, and why it ended where runs.jsonl does not show it.
static bool complete_experiment(struct hub *hub)
{
    json_t *json = hub->experiment.json;
    const enum stop_reason reason = hub->course.next.stop;
    if (hub->after) {
        // Which files were others at the end of this session than at its beginning.
        JSON_EACH (input, changes_last_inputs(json)) {
            json_t *end = json_named(json_object_get(hub->after, "inputs"), "word",
                                     json_text_at(input, "word"));
            if (end)
                json_object_set(input, "end", end);
        }
        json_object_del(hub->after, "inputs");
        json_object_set(json, "after", hub->after);
    }
    json_object_set_new(json, "step_accounting", step_accounting(hub));
    keep_warnings(hub);
    // How the machine was beside what it usually is; in a resumed experiment by all of its probes.
    json_auto_t *notes = json_array();
    json_auto_t *machine = machine_json(&hub->course.session, notes);
    json_object_set_new(json, "unusual", usual_compare(json, machine));
    if (reason == STOP_MAX_TIME || reason == STOP_INTERRUPTED)
        json_object_set_new(json, "stopped", json_string(stop_names[reason]));
    return hub_write_experiment(hub);
}

// Writes all three, and answers `done` or `failed`. False if no answer can be written.
static bool take_finish(struct hub *hub, char *const *field)
{
    json_auto_t *result = NULL;
    struct stat status;
    hub->folder.is_described = true; // it is written anew
    bool good = folder_sync(&hub->folder) && complete_experiment(hub);
    // What a program said on stderr is of no use where that was nothing.
    for (char *const *name = field + 1; *name; name++) {
        OWNED char *path = folder_file(&hub->folder, *name);
        if (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
            (void)unlink(path);
    }
    if (good) {
        result = result_build(&hub->course.session);
        good = result_write(result, hub->folder.path);
    }
    // What cannot be written has been said, or is in the folder's error.
    if (!good)
        return hub_fail(hub, "-", hub->folder.error);
    status_write(&hub->status, &hub->course, "done", stop_names[hub->course.next.stop]);
    hub->has_ended = true;
    return hub_answer(hub, "done\t%s", verdicts_word(result));
}

// The last line of a file, to be freed; NULL where there is none.
static char *last_line(const char *path)
{
    FILE *file = file_open_record(path);
    char *line = NULL, *last = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        free(last);
        last = must(strdup(line));
    }
    if (file)
        fclose(file);
    if (last)
        last[strcspn(last, "\n")] = '\0';
    free(line);
    return last;
}

// Answers that hyperfine did not run the target, with what it said last.
static bool finish_no_hyperfine(struct hub *hub)
{
    OWNED char *path = folder_file(&hub->folder, "target.stderr"), *line = last_line(path);
    OWNED char *text =
        text_of("hyperfine could not run the target: %.300s", line ? line : "it said nothing");
    return hub_fail(hub, "-", text);
}

enum { FIELDS_MAX = 512 };

struct command {
    const char *name;
    size_t fields;                                     // that it needs, itself included
    bool (*take)(struct hub *hub, char *const *field); // NULL is behind the last one
};

// ---- what sources send ----

// A disk load on another device than the target's folder disturbs nothing. The
// device is the load's own finding; tmpfs and the like have none.
static void check_device(struct hub *hub, const struct source *source, const json_t *ready)
{
    const json_t *environment = json_object_get(hub->experiment.json, "environment");
    const char *names[] = {"device", "file_system"};
    const char *its = NULL, *here = NULL;
    for (size_t i = 0; i < 2 && !source->node; i++) {
        const char *text = json_text_at(ready, names[i]);
        its = !its && text && *text ? text : its;
        text = json_text_at(environment, names[i]);
        here = !here && text && *text ? text : here;
    }
    char text[512];
    if (!its || !here || strcmp(its, here) == 0)
        return;
    snprintf(text, sizeof text,
             "it is on %s, the target's folder on %s, so it may disturb nothing: give the load "
             "--dir",
             its, here);
    hub_warn(hub, source, text);
}

bool commands_event(struct hub *hub, struct source *source, json_t *line)
{
    const char *event = json_text_at(line, "event");
    const char *message = json_text_at(line, "message");
    bool good = true;
    if (!event)
        event = strcmp(json_text_or_empty(line, "schema"), SCHEMA_METER) == 0 ? "record" : "";
    if (strcmp(event, "warning") == 0) {
        hub_warn(hub, source, message ? message : "no text");
    } else if (strcmp(event, "died") == 0) {
        hub->service_died = true;
    } else if (strcmp(event, "error") == 0 && source->optional) {
        free(source->event);
        source->event = NULL;
        hub_warn(hub, NULL, message ? message : "no text");
    } else if (strcmp(event, "error") == 0) {
        good = hub_fail(hub, source->id, message ? message : "");
    } else if (strcmp(event, source->event) == 0) {
        free(source->event);
        source->event = NULL;
        if (strcmp(event, "up") == 0)
            hub->service_died = hub->death_said = false;
        if (strcmp(event, "ready") == 0)
            check_device(hub, source, line);
        if (strcmp(event, "mark") == 0 || strcmp(event, "record") == 0 ||
            strcmp(event, "sample") == 0) {
            json_decref(source->last);
            source->last = json_incref(line);
        }
    }
    json_decref(line);
    return good;
}

// ---- decisions ----

static bool answer_next(struct hub *hub)
{
    const struct decision *next = &hub->course.next;
    const double limit = hub->experiment.settings.error;
    char error[32] = "-", more[32] = "-", value[VARY_TEXT_SIZE] = "", varied[128] = "",
         start[32] = "";
    if (next->stop == STOP_FAILURE && hub->course.last)
        return assemble_failure(hub);
    if (next->stop != STOP_NOT) {
        // Where nothing is left to measure, nobody asks for the result again.
        json_auto_t *result = settings_has_gate(&hub->experiment.settings)
                                  ? result_build(&hub->course.session)
                                  : NULL;
        return hub_answer(hub, "stop\t%s\t%s", stop_names[next->stop], verdicts_word(result));
    }
    if (next->washout == WASHOUT_PAUSE)
        return hub_answer(hub, "pause\t%.6f", hub->experiment.settings.washout.pause_s);
    if (hub->course.probe_s > 0)
        return hub_answer(hub, "probe\t%.3f", hub->course.probe_s);
    if (isfinite(next->worst_error))
        snprintf(error, sizeof error, "%.1f %%", 100 * next->worst_error);
    if (!isnan(next->value))
        snprintf(varied, sizeof varied, "%s %s, ", hub->experiment.settings.vary.name,
                 vary_text(next->value, value));
    if (next->more >= 0 && !hub->course.is_warm_up)
        snprintf(more, sizeof more, "%ld", next->more);
    if (hub->course.is_start)
        snprintf(start, sizeof start, "\t%zu", hub->course.started);
    // Only the last field may be empty.
    return hub_answer(hub, "run\t%s\t%zu\t%zu\t%serror %s (%.1f %% wanted)\t%s\t%s%s",
                      hub->experiment.settings.conditions[next->condition], next->block,
                      next->order, varied, error, 100 * limit, more, *value ? value : "-", start);
}

// ---- commands ----

static bool open_source(struct hub *hub, const char *id, const char *name, const char *condition,
                        const char *node, const char *path)
{
    if (sources_open(&hub->sources, id, name, condition, node, path))
        return true;
    OWNED char *text = text_of("%.150s cannot be opened (%s)", path, strerror(errno));
    return hub_fail(hub, "-", text);
}

// The meter, the service, and the probe, which may end or fail.
static bool take_source(struct hub *hub, char *const *field)
{
    const bool good = open_source(hub, field[0], field[0], NULL, NULL, field[1]);
    struct source *source = sources_find(&hub->sources, field[0]);
    if (source)
        source->optional = strcmp(field[0], "probe") == 0;
    return good;
}

static bool take_load(struct hub *hub, char *const *field)
{
    return open_source(hub, field[1], field[2], field[3], field[4], field[5]);
}

// No answer is owed any more, whatever the sources still send.
static void await_forget(struct hub *hub)
{
    for (size_t i = 0; i < hub->sources.count; i++) {
        free(hub->sources.source[i].event);
        hub->sources.source[i].event = NULL;
    }
    hub->await = false;
}

static bool take_await(struct hub *hub, char *const *field)
{
    for (size_t i = 2; field[i]; i++) {
        struct source *source = sources_find(&hub->sources, field[i]);
        if (!source)
            return hub_fail(hub, field[i], "no such source: name it with meter or load first");
        free(source->event);
        source->event = must(strdup(field[1]));
    }
    hub->await = true;
    hub->awaits_run = strcmp(field[1], "record") == 0 || strcmp(field[1], "ended") == 0;
    struct source *service = sources_find(&hub->sources, "service");
    if (service && hub->awaits_run && !service->event)
        service->event = must(strdup("died"));
    return true;
}

// That there cannot be an interval is not found out after hours.
static void warn_of_few(const struct hub *hub)
{
    const struct settings *settings = &hub->experiment.settings;
    const double confidence = metric_planned_confidence(&hub->course.session);
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

static bool take_begin(struct hub *hub, char *const *field)
{
    double now_s, uptime_s;
    if (!take_us(field[1], 0, &now_s) || !take_us(field[1] ? field[2] : NULL, NAN, &uptime_s))
        return hub_fail(hub, "-", "begin: a time is a number of microseconds");
    const bool is_complete = json_object_get(hub->experiment.json, "after") != NULL &&
                             record_is_there(hub->folder.path, "result.json", SCHEMA_RESULT);
    hub->course.probe.wanted = field[3] && strcmp(field[3], "probe") == 0;
    course_choose(&hub->course);
    if (hub->course.next.stop == STOP_NOT && hub->earlier > 0 && !hub->request->quiet)
        complain("continuing after %zu run%s in %s", hub->earlier, hub->earlier == 1 ? "" : "s",
                 hub->folder.path);
    if (hub->course.next.stop == STOP_NOT && !hub->request->quiet)
        warn_of_few(hub);
    // What is complete is left as it is; but a power cut may have come before its status, which is
    // not flushed, and nobody else would ever say that it is done.
    if (hub->course.next.stop == STOP_NOT || !is_complete || !status_is_done(hub->folder.path)) {
        hub->has_begun = hub->course.next.stop == STOP_NOT || !is_complete;
        status_begin(&hub->status, &hub->experiment, hub->folder.path, hub->host,
                     (long)hub->request->pid, now_s, uptime_s);
        status_write(&hub->status, &hub->course, hub->has_begun ? "running" : "done",
                     hub->has_begun ? NULL : stop_names[hub->course.next.stop]);
    }
    return answer_next(hub);
}

// Takes the record of the run that is `next`, then does what follows.
static bool keep_record(struct hub *hub, double delay_s, bool (*follow)(struct hub *hub))
{
    struct source *meter = sources_find(&hub->sources, "meter");
    char why[FOLDER_ERROR];
    if (!meter || !meter->last)
        return hub_fail(hub, "meter", "it left no record");
    if (hub->course.next.stop != STOP_NOT)
        return hub_fail(hub, "-", "no run was to be made");
    if (!assemble_hyperfine(hub, meter->last))
        return finish_no_hyperfine(hub);
    json_t *record = assemble_run(hub, meter->last, delay_s);
    json_decref(meter->last);
    json_decref(hub->probe);
    meter->last = hub->probe = NULL;
    (void)json_array_clear(hub->undone);
    const bool kept = folder_append(&hub->folder, record);
    const bool good = kept && course_take(&hub->course, record, why, sizeof why);
    json_decref(record);
    if (!good)
        return hub_fail(hub, "-", kept ? why : hub->folder.error);
    status_run(&hub->status, &hub->course);
    return follow(hub);
}

static bool take_record(struct hub *hub, char *const *field)
{
    double delay_s;
    if (!take_us(field[1], 0, &delay_s))
        return hub_fail(hub, "-", "record: a delay is a number of microseconds");
    return keep_record(hub, delay_s, answer_next);
}

// ---- a series ----

// Ends it. `how`: what follows the condition of its last run.
static bool series_answer(struct hub *hub, const char *how)
{
    series_close(&hub->series);
    return hub_answer(hub, "made\t%zu\t%s%s", hub->series.made,
                      hub->experiment.settings.conditions[hub->series.condition], how);
}

// Has meter make the run that is next, or answers.
static bool series_continue(struct hub *hub)
{
    struct series *series = &hub->series;
    const struct decision *next = &hub->course.next;
    struct source *meter = sources_find(&hub->sources, "meter");
    char value[VARY_TEXT_SIZE] = "";
    if (series->hold || next->stop != STOP_NOT || next->washout == WASHOUT_PAUSE ||
        hub->course.probe_s > 0 || series->variant[next->condition] < 0 ||
        (next->block == 0) != series->warm_up)
        return series_answer(hub, "") && answer_next(hub);
    if (!isnan(next->value))
        vary_text(next->value, value);
    // A meter that is gone is found out by its answer, which does not come.
    series->condition = next->condition;
    (void)dprintf(series->fd, "run %" PRId64 "%s%s\n", series->variant[next->condition],
                  *value ? " " : "", value);
    meter->event = must(strdup("record"));
    hub->await = true;
    return true;
}

static bool take_series(struct hub *hub, char *const *field)
{
    struct series *series = &hub->series;
    const struct settings *settings = &hub->experiment.settings;
    *series = (struct series){.fd = open(field[1], O_WRONLY | O_NONBLOCK | O_CLOEXEC),
                              .warm_up = hub->course.next.block == 0};
    if (series->fd < 0 || !sources_find(&hub->sources, "meter"))
        return hub_fail(hub, "meter", "");
    for (size_t i = 0; i < settings->condition_count; i++) {
        const char *word = field[2 + i];
        series->variant[i] = -1;
        if (!word || (strcmp(word, "-") != 0 && units_integer(word, &series->variant[i]) != 0))
            return hub_fail(hub, "-",
                            "series: each condition needs a VARIANT, which is a number or -");
    }
    return series_continue(hub);
}

// What has ended by itself meanwhile has been answered.
static bool take_hold(struct hub *hub, char *const *field)
{
    (void)field;
    if (hub->series.fd >= 0) {
        hub->series.hold = true;
        return true;
    }
    const bool owed = hub->await;
    await_forget(hub);
    return !owed || hub_answer(hub, "silent");
}

static bool take_end(struct hub *hub, char *const *field)
{
    (void)field;
    return hub->series.fd < 0 || series_answer(hub, "");
}

// meter's last record has arrived. In a series, a run that failed is handed to the harness to
// judge: what ends the harness may have ended the target as well, and then there was no run.
bool commands_arrived(struct hub *hub)
{
    if (hub->series.fd < 0)
        return hub_answer(hub, "ok");
    const json_t *record = sources_find(&hub->sources, "meter")->last;
    if (!judge_counts(record, &hub->experiment.settings.ignored))
        return series_answer(hub, "\tfailed");
    hub->series.made++;
    return keep_record(hub, 0, series_continue);
}

static bool take_rested(struct hub *hub, char *const *field)
{
    (void)field;
    hub->course.session.rested = true;
    course_choose(&hub->course);
    return answer_next(hub);
}

// The sample is of the run that comes next. A probe that has none will have none later, either.
static bool take_probed(struct hub *hub, char *const *field)
{
    (void)field;
    struct source *source = sources_find(&hub->sources, "probe");
    json_decref(hub->probe);
    hub->probe = source ? source->last : NULL;
    if (source)
        source->last = NULL;
    if (!hub->probe) {
        hub->course.probe.wanted = false;
        hub_warn(hub, NULL,
                 "the probe before each block ended or was silent: from here on what the "
                 "machine itself reaches is not known");
    }
    course_probed(&hub->course);
    return answer_next(hub);
}

static bool take_stop(struct hub *hub, char *const *field)
{
    hub->course.session.outside = stop_reason(field[1] ? field[1] : "interrupted");
    course_choose(&hub->course);
    return answer_next(hub);
}

static bool take_after(struct hub *hub, char *const *field)
{
    json_decref(hub->after);
    hub->after = json_loads(field[1], 0, NULL);
    return json_is_object(hub->after) || hub_fail(hub, "-", "after: the counters are no JSON");
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
static bool take_steps(struct hub *hub, char *const *field)
{
    if (field[8] && strcmp(field[1], "step") == 0 && json_is_array(hub->steps)) {
        json_array_append_new(
            hub->steps,
            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s?}", "step", field[2], "name", field[3],
                      "tasks", integer_or_null(field[4]), "elapsed_s", real_or_null(field[5]),
                      "cpu_s", real_or_null(field[6]), "max_rss_bytes", integer_or_null(field[7]),
                      "state", *field[8] ? field[8] : NULL));
    } else if (field[2] && strcmp(field[1], "reason") == 0) {
        json_decref(hub->steps);
        hub->steps = json_string(field[2]);
    }
    return true;
}

static bool take_warn(struct hub *hub, char *const *field)
{
    hub_warn(hub, NULL, field[1]);
    return true;
}

// undone LOAD TEXT: in the run that is made, that load has not a setting of its condition.
static bool take_undone(struct hub *hub, char *const *field)
{
    const struct source *load = sources_find(&hub->sources, field[1]);
    json_t *entry = load ? json_pack("{s:s?, s:s}", "load", load->name, "text", field[2]) : NULL;
    const bool good = entry && json_add_once(hub->undone, entry);
    json_decref(entry);
    return good || load || hub_fail(hub, "-", "undone: no such load");
}

// left: what the user has turned on, or had to be removed, is still there; that is kept however we
// end.
static bool take_left(struct hub *hub, char *const *field)
{
    hub->has_left = true;
    return take_warn(hub, field);
}

static bool take_ended(struct hub *hub, char *const *field)
{
    if (hub->has_left && hub->has_begun) {
        keep_warnings(hub);
        (void)hub_write_experiment(hub);
    }
    if (hub->has_begun)
        status_write(&hub->status, &hub->course, field[1], field[2] && *field[2] ? field[2] : NULL);
    hub->has_ended = true;
    return true;
}

static const struct command commands[] = {
    {"meter", 2, take_source},  {"service", 2, take_source}, {"load", 6, take_load},
    {"await", 3, take_await},   {"begin", 1, take_begin},    {"record", 1, take_record},
    {"stop", 1, take_stop},     {"after", 2, take_after},    {"steps", 2, take_steps},
    {"warn", 2, take_warn},     {"finish", 1, take_finish},  {"ended", 2, take_ended},
    {"left", 2, take_left},     {"rested", 1, take_rested},  {"probe", 2, take_source},
    {"probed", 1, take_probed}, {"series", 3, take_series},  {"hold", 1, take_hold},
    {"end", 1, take_end},       {"undone", 3, take_undone},
};

bool commands_take(struct hub *hub, char *line)
{
    char *field[FIELDS_MAX + 1] = {NULL};
    size_t count = 0;
    for (char *rest = line; rest && count < FIELDS_MAX;)
        field[count++] = strsep(&rest, "\t");
    // An await that bash no longer waits for is given up with the next command.
    if (strcmp(field[0], "hold") != 0)
        await_forget(hub);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, field[0]) == 0 && count >= commands[i].fields)
            return commands[i].take(hub, field);
    return hub_fail(hub, "-", "no such command: stats --help lists them");
}
