#include "states.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "plan.h"
#include "settings.h"

/* A shared file system answers late rather than little: so several files are read at once. */
enum { READERS = 8, FEW = 64 };

struct reading {
    const char *folder;
    struct states states;
    atomic_size_t next;
};

static json_t *read_status(const char *folder, const json_t *cell)
{
    char path[PATH_MAX];
    json_error_t error;
    snprintf(path, sizeof path, "%s/cells/%s/status.json", folder, json_text_at(cell, "name"));
    json_t *status = json_read_record(path, JSON_DISABLE_EOF_CHECK, &error);
    if (json_is_object(status) && json_text_at(status, "state") != NULL)
        return status;
    json_decref(status);
    return NULL;
}

static void *read_some(void *argument)
{
    struct reading *reading = argument;
    size_t i;
    while ((i = atomic_fetch_add(&reading->next, 1)) < reading->states.count) {
        struct state *state = &reading->states.list[i];
        state->status = read_status(reading->folder, state->cell);
    }
    return NULL;
}

static void read_all(struct reading *reading)
{
    pthread_t readers[READERS];
    size_t started = 0;
    /* jansson's seed is set before there are threads. */
    json_object_seed(0);
    while (reading->states.count > FEW && started < READERS &&
           pthread_create(&readers[started], NULL, read_some, reading) == 0)
        started++;
    read_some(reading);
    for (size_t i = 0; i < started; i++)
        pthread_join(readers[i], NULL);
}

bool state_is(const struct state *state, const char *name)
{
    return strcmp(state->name, name) == 0;
}

/* Whether it was measured with the limits that are wanted now. stats notes also a metric that
 * is part of the key instead. */
static bool has_limits(const struct state *state)
{
    json_t *wanted = settings_limits(json_object_get(state->cell, "settings"));
    json_t *had = settings_limits(json_object_get(state->status, "limits"));
    const bool same = json_equal(wanted, had);
    json_decref(wanted);
    json_decref(had);
    return same;
}

static const char *name_state(const struct state *state)
{
    if (state->status == NULL)
        return "waiting";
    const char *name = json_text_at(state->status, "state");
    const char *measured = json_text_at(state->status, "key"),
               *wanted = json_text_at(state->cell, "key");
    if (measured != NULL && wanted != NULL && strcmp(measured, wanted) != 0)
        return "changed";
    return strcmp(name, "done") == 0 && !has_limits(state) ? "limits" : name;
}

struct states states_read(const char *folder, const json_t *cells, bool retry)
{
    struct reading reading = {.folder = folder, .states.count = json_array_size(cells)};
    struct states *states = &reading.states;
    states->list = calloc(states->count + 1, sizeof *states->list);
    if (states->list == NULL) {
        complain("out of memory: give fewer cells");
        exit(1);
    }
    for (size_t i = 0; i < states->count; i++)
        states->list[i].cell = json_array_get(cells, i);
    read_all(&reading);
    for (size_t i = 0; i < states->count; i++) {
        struct state *state = &states->list[i];
        state->name = name_state(state);
        state->todo = !state_is(state, "done") && (retry || !state_is(state, "failed"));
    }
    return reading.states;
}

void states_free(struct states *states)
{
    for (size_t i = 0; i < states->count; i++)
        json_decref(states->list[i].status);
    free(states->list);
}

/* On another node, whose locks need not be seen here, a cell is given up when its status
 * is older than so many of its runs usually take, and than so many seconds. */
static const double runs_of_silence = 20, least_silence_s = 600;

static void add_queued(struct queue *queue, const char *id, const char *job, const char *state)
{
    json_object_set_new(queue->states, id, json_string(state));
    json_t *tasks = json_object_get(queue->tasks, job);
    if (tasks == NULL) {
        tasks = json_object();
        json_object_set_new(queue->tasks, job, tasks);
    }
    const json_int_t count = json_integer_value(json_object_get(tasks, state));
    json_object_set_new(tasks, state, json_integer(count + 1));
}

/* The lines of a file, each split at tabs into three texts. */
static void read_lines(struct queue *queue, const char *path,
                       void (*add)(struct queue *, const char *, const char *, const char *))
{
    FILE *file = file_open_record(path);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (file == NULL) {
        complain("%s cannot be read: %s", path, strerror(errno));
        exit(1);
    }
    while ((length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        char *rest = line;
        const char *first = strsep(&rest, "\t"), *second = strsep(&rest, "\t");
        if (second != NULL)
            add(queue, first, second, rest != NULL ? rest : "");
    }
    free(line);
    fclose(file);
}

static void add_fate(struct queue *queue, const char *id, const char *fate, const char *rest)
{
    (void)rest;
    json_object_set_new(queue->fates, id, json_string(fate));
}

void queue_read(struct queue *queue, const char *queue_path, const char *fates_path)
{
    *queue = (struct queue){.answers = queue_path != NULL,
                            .states = json_object(),
                            .tasks = json_object(),
                            .fates = json_object()};
    if (queue_path != NULL)
        read_lines(queue, queue_path, add_queued);
    if (fates_path != NULL)
        read_lines(queue, fates_path, add_fate);
}

void queue_free(struct queue *queue)
{
    json_decref(queue->states);
    json_decref(queue->tasks);
    json_decref(queue->fates);
}

const char *job_of(const json_t *status)
{
    return json_text_at(status, "job");
}

bool cell_is_held(const char *folder, const char *cell)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cells/%s/runs.jsonl", folder, cell);
    return lock_is_held(path);
}

/* Seconds since the epoch of "2026-01-31T12:00:00Z"; 0 for anything else. */
static double seconds_of(const char *text)
{
    struct tm tm = {0};
    return text != NULL && strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) != NULL ? (double)timegm(&tm)
                                                                            : 0;
}

double cell_age_s(const json_t *status, double now_s)
{
    const char *updated = json_text_at(status, "updated");
    return updated == NULL ? NAN : fmax(floor(now_s - seconds_of(updated)), 0);
}

static bool is_silent(const json_t *status, double now_s)
{
    const double runs = number_of(status, "runs", 0);
    const double run_s = runs > 0 ? number_of(status, "spent_s", 0) / runs : 0;
    const double silence_s = runs_of_silence * run_s;
    return now_s - seconds_of(json_text_at(status, "updated")) >
           (silence_s > least_silence_s ? silence_s : least_silence_s);
}

bool cell_is_measured(const char *folder, const char *cell, const json_t *status,
                      const struct queue *queue, double now_s, char *reason, size_t size)
{
    const char *job = job_of(status), *host = json_text_at(status, "host");
    char here[HOST_NAME_MAX + 1] = "";
    if (cell_is_held(folder, cell))
        return true;
    if (job != NULL && queue->answers) {
        const char *fate = json_text_at(queue->fates, job);
        snprintf(reason, size, "job %s is %s", job, fate != NULL ? fate : "gone");
        return json_object_get(queue->states, job) != NULL;
    }
    if (gethostname(here, sizeof here) == 0 && host != NULL && strcmp(host, here) == 0) {
        snprintf(reason, size, "no process measures it");
        return false;
    }
    snprintf(reason, size, "%s has not been heard of since %s", host != NULL ? host : "its host",
             json_text_at(status, "updated") != NULL ? json_text_at(status, "updated")
                                                     : "it began");
    return !is_silent(status, now_s);
}
