#include "replay.h"

#include "decide.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"

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
    // Notes the first forecast, as it was made then; each decision looks at all runs.
    if (session->forecast_runs == 0)
        decide(session);
    return true;
}

// The lines of a file of runs.
struct lines {
    char *path;
    size_t number; // of the line, from 1
    size_t broken; // the first line that is no record; 0: none yet
    bool refused;  // one is of another version
};

static bool take_line(struct replay *replay, struct session *session, const char *line,
                      size_t length, struct lines *lines)
{
    char why[256];
    json_t *record = json_read_line(line, length);
    lines->number++;
    if (!json_is_object(record) && lines->broken == 0)
        lines->broken = lines->number;
    lines->refused = !record_is_known(record, lines->path, lines->number);
    const bool good =
        !record || (!lines->refused && replay_take(replay, session, record, why, sizeof why));
    json_decref(record);
    return good;
}

bool replay_file(struct replay *replay, struct session *session, const char *folder)
{
    struct lines lines = {0};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (asprintf(&lines.path, "%s/runs.jsonl", folder) < 0)
        lines.path = NULL;
    FILE *file = lines.path != NULL ? file_open_record(lines.path) : NULL;
    bool good = file != NULL;
    while (good && (length = getline(&line, &size, file)) >= 0)
        good = take_line(replay, session, line, (size_t)length, &lines);
    good = good && !ferror(file);
    if (lines.broken > 0)
        complain("%s: line %zu is no record: it is left out, the other runs are used", lines.path,
                 lines.broken);
    if (!good && !lines.refused)
        complain("%s cannot be read (%s): check the folder", lines.path ? lines.path : folder,
                 file_why(errno));
    if (file)
        fclose(file);
    free(line);
    free(lines.path);
    return good;
}

void replay_free(struct replay *replay)
{
    json_decref(replay->records);
    free(replay->used);
    *replay = (struct replay){0};
}
