#include "capacity.h"
#include "hub.h"

#include "json.h"
#include "messages.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// When the machine is measured before a block, and for how long: what it reaches then is its
// `machine`.
//
// A probe takes a tenth of the time of a block, and 0.1 s at most; below 0.01 s it would show
// nothing, so blocks that are too short for that share one: at most a tenth of the time goes
// to probes, however short the runs are. How long a block takes is known after the first one: an
// experiment of a few milliseconds has no probe at all.

static const double share = 0.1; // of a block's time
static const double least_s = 0.01, most_s = 0.1;

// How long to measure before a run of that block; 0: not at all.
static double block_probe_due(const struct block_probe *probe, const struct session *session,
                              size_t block)
{
    double block_s = 0; // by the runs so far; NAN: not known yet
    if (!probe->wanted || block == 0 || block == probe->block)
        return 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct sample *sample = &session->conditions[i].metric[WALL_S];
        block_s += sample->count > 0 ? sample->mean : NAN;
    }
    const double expected_s = share * block_s;
    if (!(expected_s >= least_s) && share * probe->since_s < least_s)
        return 0;
    return fmin(fmax(expected_s, least_s), most_s); // least_s where it is not known
}

void course_init(struct course *course, struct experiment *experiment)
{
    *course = (struct course){.experiment = experiment};
    course->warm_ups = experiment->settings.warmup * experiment->settings.condition_count;
    session_init(&course->session, &experiment->settings);
    course->session.experiment = experiment;
}

// Whether the service is to be started anew for that block, or has had too few unmeasured runs
// since. One that is kept is warmed by --warmup, too; where there is one for each run, each
// measured run needs them again.
static bool needs_start(struct course *course, size_t block)
{
    const struct settings *settings = &course->experiment->settings;
    if (settings->service_warmup == 0)
        return false;
    if (course->started == 0 || (settings->each_block && course->started != block)) {
        course->started = block;
        course->start_runs = settings->each_block || settings->each_run ? 0 : settings->warmup;
    }
    return course->start_runs < settings->service_warmup;
}

// Warm-up runs come first, the conditions in turn, unless nothing is to be measured. Washout runs
// are those of the service that there was.
void course_choose(struct course *course)
{
    const size_t width = course->experiment->settings.condition_count;
    struct decision *next = &course->next;
    *next = decide(&course->session);
    course->is_warm_up = course->warm_ups > 0 && next->stop == STOP_NOT;
    course->is_washout = !course->is_warm_up && next->washout == WASHOUT_RUN;
    if (course->is_warm_up) {
        next->condition = (width - course->warm_ups % width) % width;
        next->washout = WASHOUT_NONE;
    }
    course->is_start = !course->is_warm_up && next->stop == STOP_NOT &&
                       next->washout == WASHOUT_NONE && needs_start(course, next->block);
    // A server for this run alone has the settings of its condition.
    if (course->is_washout || (course->is_start && !course->experiment->settings.each_run))
        next->condition = 0;
    if (settings_has_capacity(course->session.settings) && next->stop == STOP_NOT)
        next->value = capacity_next(&course->session, next->condition, next->block);
    if (course->is_warm_up || course->is_washout || course->is_start)
        next->block = next->order = 0;
    const bool is_run = next->stop == STOP_NOT && next->washout == WASHOUT_NONE;
    course->probe_s = is_run ? block_probe_due(&course->probe, &course->session, next->block) : 0;
}

bool course_take(struct course *course, json_t *record, char *why, size_t why_size)
{
    json_decref(course->last);
    course->last = json_incref(record);
    if (!replay_take(&course->session, record, why, why_size))
        return false;
    if (course->next.block > 0) // it is neither a warm-up nor a washout
        course->probe.block = course->next.block;
    course->probe.since_s += fmax(json_number_at(record, "wall_s"), 0); // 0 where it is not known
    if (course->is_warm_up)
        course->warm_ups--;
    if (course->is_start)
        course->start_runs++;
    else if (course->experiment->settings.each_run)
        course->start_runs = 0;
    // It is a run like those of the baseline, and ends the experiment like them.
    if ((course->is_washout || course->is_start) &&
        !judge_counts(record, &course->experiment->settings.ignored))
        course->session.unusable++;
    course_choose(course);
    return true;
}

void course_probed(struct course *course)
{
    course->probe.block = course->next.block;
    course->probe.since_s = 0;
    course->probe_s = 0;
}

void course_free(struct course *course)
{
    json_decref(course->last);
    session_free(&course->session);
}

static const double interval_s = 1;

// RFC 3339, to the second.
static json_t *time_json(double time_s)
{
    char text[DATE_SIZE];
    return *date_utc((time_t)time_s, text) ? json_string(text) : json_null();
}

// Of all conditions; null: there is no limit.
static json_t *most_runs(const struct settings *settings)
{
    return settings->max_runs == MAX_RUNS_LIMIT
               ? json_null()
               : json_integer((json_int_t)(settings->max_runs * settings->condition_count));
}

bool status_is_done(const char *folder)
{
    OWNED char *path = text_of("%s/status.json", folder);
    json_auto_t *old = json_read_record(path, 0, NULL);
    return json_text_is(old, "state", "done");
}

void status_begin(struct status *status, const struct experiment *experiment, const char *folder,
                  const char *host, long pid, double now_s, double uptime_s)
{
    const json_t *cell = json_object_get(experiment->json, "cell");
    *status = (struct status){
        .began_s = now_s, .began_uptime_s = uptime_s, .now_s = now_s, .written_s = -INFINITY};
    if (!json_is_object(cell))
        return;
    status->path = text_of("%s/status.json", folder);
    json_auto_t *old = json_read_record(status->path, 0, NULL);
    status->before_s = fmax(json_number_at(old, "spent_s"), 0); // 0 where it is not known
    // The job that measures now: that of the last who continued, not of the one that began.
    const json_t *resumed = json_object_get(experiment->json, "resumed");
    const json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    last = last ? last : json_object_get(experiment->json, "environment");
    status->fixed =
        json_pack("{s:s, s:o, s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o}", "schema", SCHEMA_STATUS,
                  "cell", json_member(cell, "name"), "key", json_member(cell, "key"), "limits",
                  json_member(cell, "limits"), "host", host, "pid", (json_int_t)pid, "started",
                  time_json(now_s), "max_runs", most_runs(&experiment->settings), "asked_error",
                  json_figure(experiment->settings.error), "job",
                  json_member(json_object_get(last, "job"), "queue_id"));
}

void status_write(struct status *status, const struct course *course, const char *state,
                  const char *reason)
{
    if (!status->path)
        return;
    const bool done = strcmp(state, "done") == 0;
    const bool known = course->next.more >= 0 && course->next.stop == STOP_NOT;
    const json_int_t runs = (json_int_t)course->session.count;
    const json_int_t expected = runs + (done ? 0 : course->next.more);
    json_auto_t *object = json_copy(status->fixed);
    const double spent = status->before_s + status->spent_s;
    json_extend(object, json_pack("{s:s, s:s?, s:o, s:I, s:o, s:o, s:o}", "state", state, "reason",
                                  reason, "updated", time_json(status->now_s), "runs", runs,
                                  "error", json_figure(course->next.worst_error), "expected_runs",
                                  done || known ? json_integer(expected) : json_null(), "spent_s",
                                  json_real(round(spent * 1000) / 1000)));
    // One line: those who watch read many. What cannot be written is told by runs.jsonl, too.
    (void)json_save(object, status->path, LINE_FORMAT, SAVE_STATE);
    status->written_s = status->spent_s;
}

void status_run(struct status *status, const struct course *course)
{
    const double start = elapsed_time(json_text_at(course->last, "start"));
    const double wall = json_number_at(course->last, "wall_s");
    const double by_uptime =
        json_number_at(course->last, "uptime_s") + wall - status->began_uptime_s;
    if (isfinite(start + wall))
        status->now_s = start + wall;
    status->spent_s =
        fmax(status->spent_s, isfinite(by_uptime) ? by_uptime : status->now_s - status->began_s);
    if (status->spent_s - status->written_s >= interval_s)
        status_write(status, course, "running", NULL);
}

void status_free(struct status *status)
{
    json_decref(status->fixed);
    free(status->path);
}

// ---- the record of a run ----

// The loads of the run, with their last marks.
static json_t *loads_json(const struct hub *hub, double mark_delay_s)
{
    const char *load =
        experiment_member(&hub->experiment, (size_t)hub->course.next.condition, "load");
    json_t *loads = json_array();
    for (size_t i = 0; i < hub->sources.count; i++) {
        const struct source *source = &hub->sources.source[i];
        if (!load || !source->condition || !source->last || strcmp(source->condition, load) != 0)
            continue;
        json_t *object = json_pack("{s:s}", "name", source->name);
        if (source->node)
            json_extend(object, json_pack("{s:s, s:f}", "node", source->node, "mark_delay_s",
                                          mark_delay_s));
        json_object_update(object, source->last);
        json_object_del(object, "event");
        json_object_del(object, "mark");
        json_array_append_new(loads, object);
    }
    return loads;
}

static json_t *without_event(const json_t *event)
{
    json_t *object = event ? json_copy((json_t *)event) : json_null();
    json_object_del(object, "event");
    return object;
}

static json_t *flags_json(const struct hub *hub, const json_t *record)
{
    json_t *flags = judge_flags(record, hub->experiment.cpus, hub->experiment.shared_at_once);
    if (hub->course.next.block == 0)
        json_array_append_new(flags, json_string(hub->course.is_washout ? "washout" : "warmup"));
    return flags;
}

json_t *assemble_run(struct hub *hub, const json_t *meter, double mark_delay_s)
{
    const struct settings *settings = &hub->experiment.settings;
    const struct decision *next = &hub->course.next;
    const struct source *service = sources_find(&hub->sources, "service");
    json_t *record =
        json_pack("{s:s, s:s, s:I, s:I, s:s, s:s?}", "schema", SCHEMA_RUN, "condition",
                  settings->conditions[next->condition], "block", (json_int_t)next->block, "order",
                  (json_int_t)next->order, "host", hub->host, "variant",
                  experiment_member(&hub->experiment, (size_t)next->condition, "variant"));
    const char *key;
    json_t *value;
    if (hub->course.is_washout)
        json_object_set_new(record, "washout", json_true());
    if (hub->course.is_start)
        json_object_set_new(record, "service_start", json_true());
    if (next->washed > 0)
        json_object_set_new(record, "washout_runs", json_integer((json_int_t)next->washed));
    if (settings_has_capacity(settings))
        json_object_set_new(record, "vary",
                            json_pack("{s:o}", settings->vary.name, json_figure(next->value)));
    json_object_foreach((json_t *)meter, key, value)
    {
        if (strcmp(key, "schema") != 0)
            json_object_set(record, key, value);
    }
    if (hub->probe)
        json_object_set_new(record, "probe", without_event(hub->probe));
    json_object_set_new(record, "service", without_event(service ? service->last : NULL));
    json_object_set_new(record, "load", loads_json(hub, mark_delay_s));
    if (json_array_size(hub->undone) > 0)
        json_object_set_new(record, "undone", json_copy(hub->undone));
    json_object_set_new(record, "flags", flags_json(hub, record));
    record_note_failure(settings, record);
    return must(record);
}

// ---- hyperfine ----

static json_t *first(const json_t *object, const char *name)
{
    json_t *value = json_array_get(json_object_get(object, name), 0);
    return value ? json_incref(value) : json_null();
}

bool assemble_hyperfine(struct hub *hub, json_t *meter)
{
    const char *engine = json_string_value(experiment_setting(&hub->experiment, "engine"));
    if (!engine || strcmp(engine, "hyperfine") != 0)
        return true;
    OWNED char *path = folder_file(&hub->folder, "hyperfine.json");
    json_auto_t *exported = json_read_record(path, 0, NULL);
    remove(path);
    const json_t *result = json_array_get(json_object_get(exported, "results"), 0);
    if (!json_is_number(json_array_get(json_object_get(result, "times"), 0)))
        return false;
    json_t *exit_code = first(result, "exit_codes");
    json_extend(meter,
                json_pack("{s:o, s:o, s:o, s:o}", "wall_s", first(result, "times"), "user_s",
                          json_member(result, "user"), "system_s", json_member(result, "system"),
                          "max_rss_bytes", first(result, "memory_usage_byte")));
    if (!json_is_null(exit_code)) // else meter knows the signal
        json_object_set_new(meter, "signal", json_null());
    json_extend(meter, json_pack("{s:o, s:n, s:n, s:s}", "exit_code", exit_code, "tree_peak_bytes",
                                 "stalls", "accounting", "hyperfine"));
    return true;
}

// ---- a run that failed ----

// By the terminal, which is what a start error of a target that ran says.
static bool is_stopped(const json_t *record)
{
    return judge_failure(record) == FAILURE_NOT_STARTED && json_number_at(record, "stops") > 0;
}

static const char *failure_part(const json_t *record, const char *name)
{
    const char *text = json_text_at(json_object_get(record, "metric_failure"), name);
    return text ? text : "?";
}

// How to go on, in the words of the command that people gave: a cell is measured by a campaign.
struct again {
    const char *resume, *ignore, *prepare;
};
static const struct again again_alone = {"--resume", "--ignore-failure", "--prepare 'rm -f FILE'"},
                          again_cell = {"--retry-failed", "ignore-failure = true",
                                        "prepare = rm -f FILE"};

static char *advice_on_metric(const json_t *record, const char *folder, const struct again *again)
{
    // Where the output of a run without its figure is kept: the stream that the reason names, or
    // stdout. NULL: nowhere.
    const bool is_stderr = strstr(failure_part(record, "reason"), "stderr") != NULL;
    const char *kept =
        json_text_at(json_object_get(record, "output"), is_stderr ? "stderr" : "stdout");
    const struct builtin_metric *builtin = builtin_metric(failure_part(record, "metric"));
    if (builtin && builtin->without_wait)
        return text_of("leave it out of --metric: wall_s and cpu_s are known of every run");
    if (builtin)
        return text_of("leave it out of --metric, or measure as root or on another machine");
    OWNED char *see = kept ? text_of("see %s/%s: ", folder, kept) : must(strdup(""));
    return text_of("%sfix the command and continue with %s, or the definition and start again; "
                   "with %s such a run's other figures count",
                   see, again->resume, again->ignore);
}

// is_first: no run has succeeded before, or something prepares each.
static char *advice_text(const json_t *record, const char *folder, const struct again *again,
                         bool is_first)
{
    const struct ignored all = {.any = true};
    if (judge_failure(record) == FAILURE_METRIC)
        return advice_on_metric(record, folder, again);
    if (judge_failure(record) == FAILURE_SERVICE)
        return text_of(
            "what it wrote is in service.stderr and service.stdout; fix it and continue with %s",
            again->resume);
    if (is_stopped(record))
        return text_of("a program that is measured cannot use the terminal: give its input with "
                       "--input FILE, and continue with %s",
                       again->resume);
    if (judge_failure(record) == FAILURE_MEMORY)
        return text_of(
            "raise the memory limit of the cgroup or job, or use a smaller input or load, "
            "and continue with %s",
            again->resume);
    if (!is_first && judge_failure(record) == FAILURE_EXIT)
        return text_of("runs before succeeded: if they leave something, remove it before each with "
                       "%s; else fix it and continue with %s, or start again with %s",
                       again->prepare, again->resume, again->ignore);
    if (judge_counts(record, &all))
        return text_of("fix it and continue with %s, or start again with %s", again->resume,
                       again->ignore);
    return text_of("check the command, and continue with %s", again->resume);
}

bool assemble_failure(struct hub *hub)
{
    const json_t *record = hub->course.last, *experiment = hub->experiment.json;
    const bool is_cell = json_is_object(json_object_get(experiment, "cell"));
    const bool is_first = !(json_number_at(record, "order") > 1) ||
                          json_has(json_object_get(experiment, "settings"), "prepare");
    // What the target printed, and a path, may have any character.
    OWNED char *text = hub_one_field(judge_failure_text(record));
    OWNED char *advice = hub_one_field(
        advice_text(record, hub->folder.path, is_cell ? &again_cell : &again_alone, is_first));
    return hub_answer(hub, "stop\t%s\t%s\t%s\t%s", stop_names[STOP_FAILURE], text, advice,
                      judge_failure(record) == FAILURE_SERVICE ? "service" : "target");
}
