#include "hub.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <math.h>
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

// What a block takes by the runs so far; NAN: not known yet.
static double block_s(const struct session *session)
{
    double sum = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const struct sample *sample = &session->conditions[i].metric[WALL_S];
        sum += sample->count > 0 ? sample->mean : NAN;
    }
    return sum;
}

// How long to measure before a run of that block; 0: not at all.
static double block_probe_due(const struct block_probe *probe, const struct session *session,
                              size_t block)
{
    if (!probe->wanted || block == 0 || block == probe->block)
        return 0;
    const double expected_s = share * block_s(session);
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

// Warm-up runs come first, the conditions in turn, unless nothing is to be measured.
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
    if (course->is_washout)
        next->condition = 0;
    if (settings_has_capacity(course->session.settings) && next->stop == STOP_NOT)
        next->value = capacity_next(&course->session, next->condition, next->block);
    if (course->is_warm_up || course->is_washout)
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
    // It is a run like those of the baseline, and ends the experiment like them.
    if (course->is_washout && !judge_counts(judge_failure(record), judge_exit_code(record),
                                            &course->experiment->settings.ignored))
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

static json_t *limits_of(const json_t *settings)
{
    json_t *object = json_object();
    for (size_t i = 0; limit_names[i]; i++) {
        json_t *value = json_object_get(settings, limit_names[i]);
        if (value)
            json_object_set(object, limit_names[i], value);
    }
    return object;
}

// The job that measures now: that of the last who continued, not of the one that began.
static json_t *job_id(const json_t *experiment)
{
    const json_t *resumed = json_object_get(experiment, "resumed");
    const json_t *last = json_array_get(resumed, json_array_size(resumed) - 1);
    if (!last)
        last = json_object_get(experiment, "environment");
    return json_member(json_object_get(last, "job"), "queue_id");
}

bool status_is_done(const char *folder)
{
    OWNED char *path = text_of("%s/status.json", folder);
    json_t *old = json_read_record(path, 0, NULL);
    const bool done = strcmp(json_text_or_empty(old, "state"), "done") == 0;
    json_decref(old);
    return done;
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
    json_t *old = json_read_record(status->path, 0, NULL);
    status->before_s = fmax(json_number_at(old, "spent_s"), 0); // 0 where it is not known
    json_decref(old);
    status->fixed = json_pack(
        "{s:s, s:o, s:o, s:o, s:s, s:I, s:o, s:I, s:o, s:o}", "schema", SCHEMA_STATUS, "cell",
        json_member(cell, "name"), "key", json_member(cell, "key"), "limits",
        limits_of(json_object_get(cell, "settings")), "host", host, "pid", (json_int_t)pid,
        "started", time_json(now_s), "max_runs",
        (json_int_t)(experiment->settings.max_runs * experiment->settings.condition_count),
        "asked_error", json_figure(experiment->settings.error), "job", job_id(experiment->json));
}

static json_t *expected_runs(const struct course *course, bool is_done)
{
    const size_t runs = course->session.count;
    if (is_done)
        return json_integer((json_int_t)runs);
    return course->next.more >= 0 && course->next.stop == STOP_NOT
               ? json_integer((json_int_t)runs + course->next.more)
               : json_null();
}

void status_write(struct status *status, const struct course *course, const char *state,
                  const char *reason)
{
    struct save save;
    if (!status->path)
        return;
    json_t *object = json_copy(status->fixed);
    const double spent = status->before_s + status->spent_s;
    json_t *changing =
        json_pack("{s:s, s:s?, s:o, s:I, s:o, s:o, s:o}", "state", state, "reason", reason,
                  "updated", time_json(status->now_s), "runs", (json_int_t)course->session.count,
                  "error", json_figure(course->next.worst_error), "expected_runs",
                  expected_runs(course, strcmp(state, "done") == 0), "spent_s",
                  json_real(round(spent * 1000) / 1000));
    json_object_update(object, changing);
    // One line: those who watch read many. What cannot be written is told by runs.jsonl, too.
    if (save_begin(&save, status->path, SAVE_STATE))
        (void)save_end(&save, json_dumpf(object, save.file,
                                         JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS)) == 0 &&
                                  fputc('\n', save.file) != EOF);
    status->written_s = status->spent_s;
    json_decref(changing);
    json_decref(object);
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
