#include "states.h"

#include "plan.h"
#include "settings.h"

#include "common/messages.h"
#include "common/record_json.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
