// How far a campaign is: jostle.campaign-status/1.

#include "campaign.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/own_file.h"
#include "common/save.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { REASON_SIZE = 256 };

// What a campaign's cells can be, in the order in which they are counted.
static const char *const state_names[] = {"done",  "running", "failed", "interrupted",
                                          "stale", "waiting", NULL};

// The state that people are shown: what waits for whatever reason is waiting.
static const char *shown_state(const char *folder, const struct state *state,
                               const struct queue *queue, double now_s, char *reason, size_t size)
{
    json_copy_text(state->status, "reason", reason, size);
    if (state_is(state, "changed")) {
        snprintf(reason, size, "its definition was changed");
        return "waiting";
    }
    if (state_is(state, "limits"))
        return "done";
    if (state_is(state, "running") && !cell_is_measured(folder, state, queue, now_s, reason, size))
        return "stale";
    if (state_is(state, "running"))
        json_copy_text(state->status, "reason", reason, size);
    return state->name;
}

static json_t *cell_status(const struct state *state, const char *shown, const char *reason,
                           double now_s)
{
    const json_t *status = state->status;
    // Whether somebody should look at it: it does not go on by itself.
    const bool attention = strcmp(shown, "stale") == 0 || strcmp(shown, "failed") == 0 ||
                           (strcmp(shown, "interrupted") == 0 && reason[0] != '\0');
    return json_pack(
        "{so so ss ss? so so so so so so so so so ss? sb sb}", "number",
        json_member(state->cell, "number"), "name", json_member(state->cell, "name"), "state",
        shown, "reason", reason[0] ? reason : NULL, "host", json_member(status, "host"), "runs",
        json_integer((json_int_t)number_of(status, "runs", 0)), "max_runs",
        json_member(status, "max_runs"), "expected_runs", json_member(status, "expected_runs"),
        "error", json_member(status, "error"), "asked_error", json_member(status, "asked_error"),
        "updated", json_member(status, "updated"), "age_s",
        number_to_json(cell_age_s(status, now_s)), "spent_s", json_member(status, "spent_s"), "job",
        json_text_at(status, "job"), "changed", state_is(state, "changed"), "attention", attention);
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
    return mean_of_target(means, state->cell);
}

static void count_one(json_t *counts, const char *name)
{
    const json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

// What was submitted, with what the queue says of it.
static json_t *jobs_of(const char *folder, const struct queue *queue)
{
    json_t *jobs = json_array();
    OWNED char *path = text_of("%s/jobs/jobs.tsv", folder), *line = NULL;
    FILE *file = file_open_record(path);
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        char *rest = line;
        const char *time = strsep(&rest, "\t\n"), *scheduler = strsep(&rest, "\t\n");
        const char *role = strsep(&rest, "\t\n"), *id = strsep(&rest, "\t\n");
        if (!id || id[0] == '\0')
            continue;
        json_t *job =
            json_pack("{ss ss ss ss so*}", "submitted", time, "scheduler", scheduler, "role", role,
                      "id", id, "states", json_incref(json_object_get(queue->tasks, id)));
        if (!json_object_get(job, "states"))
            json_put(job, "states", queue->answers ? json_object() : json_null());
        json_add(jobs, job);
    }
    if (file)
        fclose(file);
    return jobs;
}

// {cells, done} of each session, in their order; null where nothing is repeated.
static json_t *sessions_status(const json_t *cells, const struct states *states)
{
    json_t *sessions = json_array();
    for (size_t i = 0; i < states->count; i++) {
        const size_t at = session_of(states->list[i].cell) - 1;
        while (json_array_size(sessions) <= at && at < SESSIONS_MOST)
            json_array_append_new(sessions, json_pack("{si si}", "cells", 0, "done", 0));
        json_t *session = json_array_get(sessions, at);
        count_one(session, "cells");
        if (json_text_is(json_array_get(cells, i), "state", "done"))
            count_one(session, "done");
    }
    if (json_array_size(sessions) > 1)
        return sessions;
    json_decref(sessions);
    return json_null();
}

// With DIR/jobs/jobs.tsv: lines TIME<TAB>SCHEDULER<TAB>ROLE<TAB>ID of what was submitted. To be
// released.
static json_t *status_of(const struct campaign *campaign, const struct queue *queue, double now_s)
{
    const struct states *states = &campaign->states;
    struct means means;
    json_t *cells = json_array(), *counts = json_pack("{si}", "cells", (int)states->count);
    double rest_s = 0;
    for (size_t i = 0; state_names[i] != NULL; i++)
        json_put(counts, state_names[i], json_integer(0));
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        char reason[REASON_SIZE];
        const char *shown =
            shown_state(campaign->folder, state, queue, now_s, reason, sizeof reason);
        count_one(counts, shown);
        rest_s += rest_of(state, shown, &means);
        json_array_append_new(cells, cell_status(state, shown, reason, now_s));
    }
    means_free(&means);
    // Cells that are measured at the same time share the time that is left.
    const double at_once = number_of(counts, "running", 0);
    json_t *left = isnan(rest_s) || at_once <= 0 ? json_null() : json_real(rest_s / at_once);
    return json_pack("{ss so so so so so sb so so}", "schema", SCHEMA_CAMPAIGN_STATUS, "name",
                     json_member(campaign->plan, "name"), "folder", text_to_json(campaign->folder),
                     "counts", counts, "left_s", left, "jobs", jobs_of(campaign->folder, queue),
                     "queue", queue->answers, "sessions", sessions_status(cells, states), "cells",
                     cells);
}

// Prints the ids of jobs, a line each, that cells say measure them, and that are not in
// the queue.
static void status_print_lost(const struct states *states, const struct queue *queue)
{
    json_auto_t *printed = json_object();
    for (size_t i = 0; i < states->count; i++) {
        const char *job = json_text_at(states->list[i].status, "job");
        if (!state_is(&states->list[i], "running") || !job || json_object_get(queue->states, job) ||
            json_object_get(printed, job))
            continue;
        json_object_set_new(printed, job, json_true());
        puts(job);
    }
}

// Into a file, for other programs: then prints how many cells are to be measured, and how many
// failed.
static bool write_status(const json_t *status, const char *path)
{
    const json_t *counts = json_object_get(status, "counts");
    const double failed = number_of(counts, "failed", 0);
    OWNED char *text =
        must(json_dumps(status, (path ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)));
    const bool written = path ? save_text(path, text, SAVE_STATE) : puts(text) != EOF;
    if (path && written)
        printf("%.0f\t%.0f\n",
               number_of(counts, "cells", 0) - number_of(counts, "done", 0) - failed, failed);
    return written || (path && save_complain(path));
}

int command_status(struct campaign *campaign)
{
    struct queue queue;
    bool good = true;
    queue_read(&queue, campaign->queue, campaign->fates);
    if (campaign->lost) {
        status_print_lost(&campaign->states, &queue);
    } else {
        json_auto_t *status = status_of(campaign, &queue, (double)time(NULL));
        good = write_status(status, campaign->output);
    }
    queue_free(&queue);
    return print_end() == 0 && good ? 0 : 1;
}
