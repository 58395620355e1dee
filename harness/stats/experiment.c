#include "experiment.h"

#include "decide.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const char *folder, const char *what)
{
    return complain("%s/experiment.json: %s: give a folder that jostle run or slowdown has made",
                    folder, what);
}

// Conditions with settings of the kernel: those of the loads of which `loads` says so.
static void take_adjusted(struct experiment *experiment)
{
    const json_t *loads = json_object_get(experiment->json, "loads");
    for (size_t i = 0; i < experiment->settings.condition_count; i++) {
        const char *load = experiment_member(experiment, i, "load");
        for (size_t k = 0; k < json_array_size(loads) && load; k++)
            if (strcmp(json_text_or_empty(json_array_get(loads, k), "name"), load) == 0)
                experiment->settings.adjusted[i] =
                    json_is_object(json_object_get(json_array_get(loads, k), "settings"));
    }
}

// Of the session that measures now: an experiment that was resumed has its own.
static bool shared_at_once(const json_t *json)
{
    const json_t *resumed = json_object_get(json, "resumed");
    const size_t sessions = json_array_size(resumed);
    const json_t *now = sessions > 0 ? json_array_get(resumed, sessions - 1) : json;
    const json_t *neighbours = json_object_get(json_object_get(now, "before"), "neighbours");
    return json_array_size(json_object_get(neighbours, "jobs")) > 0;
}

bool experiment_open(struct experiment *experiment, const char *folder)
{
    char *path = text_of("%s/experiment.json", folder);
    json_error_t error;
    *experiment = (struct experiment){0};
    experiment->json = json_read_record(path, 0, &error);
    free(path);
    if (!experiment->json)
        return wrong(folder, error.text);
    const char *schema = json_text_at(experiment->json, "schema");
    if (schema && strcmp(schema, SCHEMA_EXPERIMENT) != 0) {
        complain("%s/experiment.json has the schema %s, and this version reads %s: use the jostle "
                 "that made it",
                 folder, schema, SCHEMA_EXPERIMENT);
        experiment_close(experiment);
        return false;
    }
    if (!settings_read(&experiment->settings, experiment->json)) {
        experiment_close(experiment);
        return wrong(folder, "it has no loads or no settings");
    }
    take_adjusted(experiment);
    const double cpus =
        json_number_at(json_object_get(experiment->json, "environment"), "cpus_online");
    experiment->cpus = isnan(cpus) ? 1 : cpus;
    experiment->shared_at_once = shared_at_once(experiment->json);
    return true;
}

const char *experiment_member(const struct experiment *experiment, size_t condition,
                              const char *member)
{
    const json_t *list = json_object_get(experiment->json, "conditions");
    if (!list && strcmp(member, "load") == 0)
        return experiment->settings.conditions[condition];
    return json_text_at(json_array_get(list, condition), member);
}

const char *experiment_stopped(const struct experiment *experiment)
{
    return json_text_at(experiment->json, "stopped");
}

void experiment_close(struct experiment *experiment)
{
    settings_free(&experiment->settings);
    json_decref(experiment->json);
    experiment->json = NULL;
}

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
