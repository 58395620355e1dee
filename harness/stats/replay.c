#include "replay.h"

#include "decide.h"

#include "common/messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool keep(struct replay *replay, size_t index, json_t *record)
{
    if (index >= replay->capacity) {
        const size_t capacity = 2 * index + 32;
        json_t **used = realloc(replay->used, capacity * sizeof *used);
        if (!used)
            return false;
        replay->used = used;
        replay->capacity = capacity;
    }
    replay->used[index] = record;
    return true;
}

bool replay_take(struct replay *replay, struct session *session, json_t *record, char *why,
                 size_t why_size)
{
    struct observation run;
    why[0] = '\0';
    if (!replay->records && !(replay->records = json_array()))
        return false;
    switch (record_take(session->settings, record, &run, why, why_size)) {
    case RECORD_SET_ASIDE:
        session_note(session, &run);
        session_add_set_aside(session, &run);
        return true;
    case RECORD_WARM_UP:
        session_note(session, &run);
        return true;
    case RECORD_BROKEN:
    case RECORD_FOREIGN:
        return true;
    case RECORD_OK:
        break;
    }
    if (json_array_append(replay->records, record) != 0)
        return false;
    const enum session_add added = session_add(session, &run);
    if (added == SESSION_DUPLICATE)
        snprintf(why, why_size,
                 "its block has this condition already, or is far ahead of the others");
    if (added != SESSION_ADDED)
        return added == SESSION_DUPLICATE;
    if (!keep(replay, session->count - 1, record) || !session_add_loads(session, &run, record))
        return false;
    decide(session); // notes the first forecast, as it was made then
    return true;
}

static bool take_line(struct replay *replay, struct session *session, const char *line)
{
    char why[256];
    json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    const bool good = !record || replay_take(replay, session, record, why, sizeof why);
    json_decref(record);
    return good;
}

bool replay_file(struct replay *replay, struct session *session, const char *folder)
{
    char *path = NULL, *line = NULL;
    size_t size = 0;
    FILE *file = asprintf(&path, "%s/runs.jsonl", folder) < 0 ? NULL : fopen(path, "r");
    bool good = file != NULL;
    while (good && getline(&line, &size, file) >= 0)
        good = take_line(replay, session, line);
    good = good && !ferror(file);
    if (!good)
        complain("%s cannot be read (%s): check the folder", path ? path : folder, strerror(errno));
    if (file)
        fclose(file);
    free(line);
    free(path);
    return good;
}

void replay_free(struct replay *replay)
{
    json_decref(replay->records);
    free(replay->used);
    *replay = (struct replay){0};
}
