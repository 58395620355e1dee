#include "status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "json.h"
#include "judge.h"

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

static double spent_before(const char *path)
{
    json_t *old = json_read_record(path, 0, NULL);
    const double spent = json_number_at(old, "spent_s");
    json_decref(old);
    return spent >= 0 ? spent : 0;
}

bool status_is_done(const char *folder)
{
    char *path = text_of("%s/status.json", folder);
    json_t *old = json_read_record(path, 0, NULL);
    const char *state = json_text_at(old, "state");
    const bool done = state && strcmp(state, "done") == 0;
    json_decref(old);
    free(path);
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
    status->before_s = spent_before(status->path);
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

// Longer than this and ten runs: nobody measured meanwhile.
static const double pause_s = 60, pause_runs = 10;

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

static double start_of(const json_t *record)
{
    return elapsed_time(json_text_at(record, "start"));
}

static const char *host_of(const json_t *record)
{
    const char *host = json_text_at(record, "host");
    return host ? host : "";
}

double elapsed_between_s(const json_t *before, const json_t *after)
{
    const double uptime = json_number_at(after, "uptime_s") - json_number_at(before, "uptime_s");
    const bool one_machine = strcmp(host_of(before), host_of(after)) == 0;
    return uptime >= 0 && one_machine ? uptime : start_of(after) - start_of(before);
}

double elapsed_s(const json_t *records, size_t count)
{
    if (count == 0)
        return 0;
    double sum = json_number_at(json_array_get(records, count - 1), "wall_s") +
                 0 * start_of(json_array_get(records, 0));
    for (size_t i = 1; i < count; i++) {
        const json_t *before = json_array_get(records, i - 1);
        const double wall = json_number_at(before, "wall_s");
        const double gap = elapsed_between_s(before, json_array_get(records, i));
        sum += gap < 0 || gap > pause_s + pause_runs * wall ? wall : gap;
    }
    return sum;
}
