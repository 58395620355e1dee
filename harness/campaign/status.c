#include "status.h"

#include "plan.h"
#include "remaining.h"
#include "sessions.h"

#include "common/file.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 256 };

/* What a campaign's cells can be, in the order in which they are counted. */
static const char *const names[] = {"done",  "running", "failed", "interrupted",
                                    "stale", "waiting", NULL};

/* The state that people are shown: what waits for whatever reason is waiting. */
static const char *shown_state(const char *folder, const struct state *state,
                               const struct queue *queue, double now_s, char *reason, size_t size)
{
    const char *name = json_text_at(state->cell, "name");
    json_copy_text(state->status, "reason", reason, size);
    if (state_is(state, "changed")) {
        snprintf(reason, size, "its definition was changed");
        return "waiting";
    }
    if (state_is(state, "limits"))
        return "done";
    if (state_is(state, "running") &&
        !cell_is_measured(folder, name, state->status, queue, now_s, reason, size))
        return "stale";
    if (state_is(state, "running"))
        json_copy_text(state->status, "reason", reason, size);
    return state->name;
}

/* Whether somebody should look at it: it does not go on by itself. */
static bool needs_attention(const char *shown, const char *reason)
{
    return strcmp(shown, "stale") == 0 || strcmp(shown, "failed") == 0 ||
           (strcmp(shown, "interrupted") == 0 && reason[0] != '\0');
}

static json_t *cell_status(const struct state *state, const char *shown, const char *reason,
                           double now_s)
{
    const json_t *status = state->status;
    return json_pack(
        "{so so ss ss? so so so so so so so so so ss? sb sb}", "number",
        member_of(state->cell, "number"), "name", member_of(state->cell, "name"), "state", shown,
        "reason", reason[0] ? reason : NULL, "host", member_of(status, "host"), "runs",
        json_integer((json_int_t)number_of(status, "runs", 0)), "max_runs",
        member_of(status, "max_runs"), "expected_runs", member_of(status, "expected_runs"), "error",
        member_of(status, "error"), "asked_error", member_of(status, "asked_error"), "updated",
        member_of(status, "updated"), "age_s", number_to_json(cell_age_s(status, now_s)), "spent_s",
        member_of(status, "spent_s"), "job", job_of(status), "changed", state_is(state, "changed"),
        "attention", needs_attention(shown, reason));
}

static double rest_of(const struct state *state, const char *shown, const struct means *means)
{
    if (strcmp(shown, "done") == 0 || strcmp(shown, "failed") == 0)
        return 0;
    if (strcmp(shown, "running") == 0) {
        const double rest_s = rest_of_cell(state->status);
        if (!isnan(rest_s))
            return rest_s;
    }
    const char *target = json_text_at(state->cell, "target");
    const json_t *mean = target != NULL ? json_object_get(means->by_target, target) : NULL;
    return mean != NULL ? json_real_value(mean) : means->all;
}

/* {state: how many cells}, with each state. */
static json_t *no_counts(size_t cells)
{
    json_t *counts = json_pack("{si}", "cells", (int)cells);
    for (size_t i = 0; names[i] != NULL; i++)
        json_object_set_new(counts, names[i], json_integer(0));
    return counts;
}

static void count_one(json_t *counts, const char *name)
{
    const json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

static json_t *job_states(const struct queue *queue, const char *job)
{
    json_t *states = json_object_get(queue->tasks, job);
    return !queue->answers ? json_null() : states != NULL ? json_incref(states) : json_object();
}

/* What was submitted, with what the queue says of it. */
static json_t *jobs_of(const char *path, const struct queue *queue)
{
    json_t *jobs = json_array();
    FILE *file = path != NULL ? file_open_record(path) : NULL;
    char *line = NULL;
    size_t size = 0;
    while (file != NULL && getline(&line, &size, file) > 0) {
        char *rest = line;
        const char *time = strsep(&rest, "\t\n"), *scheduler = strsep(&rest, "\t\n");
        const char *role = strsep(&rest, "\t\n"), *id = strsep(&rest, "\t\n");
        if (id != NULL && id[0] != '\0')
            json_array_append_new(jobs, json_pack("{ss ss ss ss so}", "submitted", time,
                                                  "scheduler", scheduler, "role", role, "id", id,
                                                  "states", job_states(queue, id)));
    }
    free(line);
    if (file != NULL)
        fclose(file);
    return jobs;
}

/* {cells, done} of each session, in their order; null where nothing is repeated. */
static json_t *sessions_status(const json_t *cells, const struct states *states)
{
    json_t *sessions = json_array();
    for (size_t i = 0; i < states->count; i++) {
        const size_t at = session_of(states->list[i].cell) - 1;
        while (json_array_size(sessions) <= at && at < SESSIONS_MOST)
            json_array_append_new(sessions, json_pack("{si si}", "cells", 0, "done", 0));
        json_t *session = json_array_get(sessions, at);
        const char *shown = json_text_at(json_array_get(cells, i), "state");
        count_one(session, "cells");
        if (shown != NULL && strcmp(shown, "done") == 0)
            count_one(session, "done");
    }
    if (json_array_size(sessions) > 1)
        return sessions;
    json_decref(sessions);
    return json_null();
}

json_t *status_of(const json_t *plan, const char *folder, const struct states *states,
                  const struct queue *queue, const char *jobs_path, double now_s)
{
    struct means means;
    json_t *cells = json_array(), *counts = no_counts(states->count);
    double rest_s = 0;
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        char reason[REASON_SIZE];
        const char *shown = shown_state(folder, state, queue, now_s, reason, sizeof reason);
        count_one(counts, shown);
        rest_s += rest_of(state, shown, &means);
        json_array_append_new(cells, cell_status(state, shown, reason, now_s));
    }
    means_free(&means);
    /* Cells that are measured at the same time share the time that is left. */
    const double at_once = number_of(counts, "running", 0);
    json_t *left = isnan(rest_s) || at_once <= 0 ? json_null() : json_real(rest_s / at_once);
    return json_pack("{ss so so so so so sb so so}", "schema", SCHEMA_CAMPAIGN_STATUS, "name",
                     member_of(plan, "name"), "folder", text_to_json(folder), "counts", counts,
                     "left_s", left, "jobs", jobs_of(jobs_path, queue), "queue", queue->answers,
                     "sessions", sessions_status(cells, states), "cells", cells);
}

void status_print_lost(const struct states *states, const struct queue *queue, FILE *stream)
{
    json_t *printed = json_object();
    for (size_t i = 0; i < states->count; i++) {
        const char *job = job_of(states->list[i].status);
        if (!state_is(&states->list[i], "running") || job == NULL ||
            json_object_get(queue->states, job) != NULL || json_object_get(printed, job) != NULL)
            continue;
        json_object_set_new(printed, job, json_true());
        fprintf(stream, "%s\n", job);
    }
    json_decref(printed);
}
