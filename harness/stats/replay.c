#include "replay.h"

#include "decide.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep(struct replay *replay, size_t index, json_t *record)
{
    if (index >= replay->capacity) {
        replay->capacity = 2 * index + 32;
        replay->used = must(reallocarray(replay->used, replay->capacity, sizeof *replay->used));
    }
    replay->used[index] = record;
}

bool replay_take(struct replay *replay, struct session *session, json_t *record, char *why,
                 size_t why_size)
{
    struct observation run;
    const enum record_status status = record_take(session->settings, record, &run, why, why_size);
    if (!replay->records)
        replay->records = must(json_array());
    if (status == RECORD_SET_ASIDE || status == RECORD_WARM_UP)
        session_note(session, &run);
    if (status == RECORD_SET_ASIDE)
        session_add_set_aside(session, &run);
    if (status != RECORD_OK)
        return status == RECORD_SET_ASIDE || status == RECORD_WARM_UP;
    json_array_append(replay->records, record);
    if (!session_add(session, &run)) {
        snprintf(why, why_size,
                 "its block has this condition already, or is far ahead of the others");
        return false;
    }
    keep(replay, session->count - 1, record);
    session_add_loads(session, &run, record);
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

static void take_line(struct replay *replay, struct session *session, const char *line,
                      size_t length, struct lines *lines)
{
    char why[256];
    json_t *record = json_read_line(line, length);
    lines->number++;
    if (!json_is_object(record) && lines->broken == 0)
        lines->broken = lines->number;
    lines->refused = !record_is_known(record, lines->path, lines->number);
    if (record && !lines->refused)
        (void)replay_take(replay, session, record, why,
                          sizeof why); // what does not fit is left out
    json_decref(record);
}

bool replay_file(struct replay *replay, struct session *session, const char *folder)
{
    struct lines lines = {.path = text_of("%s/runs.jsonl", folder)};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    FILE *file = file_open_record(lines.path);
    bool good = file != NULL;
    while (good && !lines.refused && (length = getline(&line, &size, file)) >= 0)
        take_line(replay, session, line, (size_t)length, &lines);
    good = good && !lines.refused && !ferror(file);
    if (lines.broken > 0)
        complain("%s: line %zu is no record: it is left out, the other runs are used", lines.path,
                 lines.broken);
    if (!good && !lines.refused)
        complain("%s cannot be read (%s): check the folder", lines.path, file_why(errno));
    if (file)
        fclose(file);
    free(line);
    free(lines.path);
    return good;
}

bool replay_open(struct replay *replay, struct experiment *experiment, struct session *session,
                 const char *folder)
{
    if (!experiment_open(experiment, folder))
        return false;
    session_init(session, &experiment->settings);
    session->outside = stop_reason(experiment_stopped(experiment));
    return replay_file(replay, session, folder);
}

void replay_free(struct replay *replay)
{
    json_decref(replay->records);
    free(replay->used);
    *replay = (struct replay){0};
}
