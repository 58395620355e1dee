// The states of cells: how far each is, by its status.json.

#include "campaign.h"

#include "common/memory.h"
#include "harness/experiment/settings.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A shared file system answers late rather than little: so several files are read at once.
enum { READERS = 8, FEW = 64 };

struct reading {
    const char *folder;
    struct states states;
    atomic_size_t next;
};

static void *read_some(void *argument)
{
    struct reading *reading = argument;
    size_t i;
    while ((i = atomic_fetch_add(&reading->next, 1)) < reading->states.count) {
        struct state *state = &reading->states.list[i];
        char path[PATH_MAX];
        state->status =
            json_read_record(cell_path(reading->folder, state->cell_name, "status.json", path),
                             JSON_DISABLE_EOF_CHECK, NULL);
        if (json_text_at(state->status, "state"))
            continue;
        json_decref(state->status);
        state->status = NULL;
    }
    return NULL;
}

bool state_is(const struct state *state, const char *name)
{
    return strcmp(state->name, name) == 0;
}

// Whether it was measured with the limits that are wanted now. stats notes also a metric that is
// part of the key instead.
static bool has_limits(const struct state *state)
{
    json_auto_t *wanted = settings_limits(json_object_get(state->cell, "settings"));
    json_auto_t *had = settings_limits(json_object_get(state->status, "limits"));
    return json_equal(wanted, had);
}

static const char *name_state(const struct state *state)
{
    const char *name = json_text_at(state->status, "state");
    const char *measured = json_text_at(state->status, "key"),
               *wanted = json_text_at(state->cell, "key");
    if (!name)
        return "waiting";
    if (measured && wanted && strcmp(measured, wanted) != 0)
        return "changed";
    return strcmp(name, "done") == 0 && !has_limits(state) ? "limits" : name;
}

struct states states_read(const char *folder, const json_t *cells, bool retry)
{
    struct reading reading = {.folder = folder, .states.count = json_array_size(cells)};
    struct states *states = &reading.states;
    pthread_t readers[READERS];
    size_t started = 0;
    states->list = must(calloc(states->count + 1, sizeof *states->list));
    for (size_t i = 0; i < states->count; i++) {
        states->list[i].cell = json_array_get(cells, i);
        states->list[i].cell_name = json_text_at(states->list[i].cell, "name");
    }
    // jansson's seed is set before there are threads.
    json_object_seed(0);
    while (states->count > FEW && started < READERS &&
           pthread_create(&readers[started], NULL, read_some, &reading) == 0)
        started++;
    read_some(&reading);
    for (size_t i = 0; i < started; i++)
        pthread_join(readers[i], NULL);
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
