// status.json: how far a cell of a campaign is, for those who watch from elsewhere.

#include "status.h"

#include "harness/stats/json.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double interval_s = 1;

// RFC 3339, to the second.
static json_t *time_json(double time_s)
{
    char text[DATE_SIZE];
    return *date_utc((time_t)time_s, text) ? json_string(text) : json_null();
}

// Writes the limit of all conditions; null: there is none.
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
