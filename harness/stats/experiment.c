#include "session.h"

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
        const json_t *load = json_named(loads, "name", experiment_member(experiment, i, "load"));
        experiment->settings.adjusted[i] = json_is_object(json_object_get(load, "settings"));
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
    OWNED char *path = text_of("%s/experiment.json", folder);
    json_error_t error;
    *experiment = (struct experiment){0};
    experiment->json = json_read_record(path, 0, &error);
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

bool replay_take(struct session *session, json_t *record, char *why, size_t why_size)
{
    struct observation run;
    const enum record_status status = record_take(session->settings, record, &run, why, why_size);
    if (!session->records)
        session->records = must(json_array());
    if (status == RECORD_SET_ASIDE || status == RECORD_WARM_UP)
        session_note(session, &run);
    if (status == RECORD_SET_ASIDE)
        session_add_set_aside(session, &run);
    if (status != RECORD_OK)
        return status == RECORD_SET_ASIDE || status == RECORD_WARM_UP;
    json_array_append(session->records, record);
    run.record = record;
    if (!session_add(session, &run)) {
        snprintf(why, why_size,
                 "its block has this condition already, or is far ahead of the others");
        return false;
    }
    session_add_loads(session, &run);
    // Notes the first forecast, as it was made then; each decision looks at all runs.
    if (session->forecast_runs == 0)
        decide(session);
    return true;
}

json_t *records_read(const char *path)
{
    json_t *records = must(json_array());
    OWNED char *line = NULL;
    size_t size = 0, number = 0, broken = 0;
    ssize_t length;
    FILE *file = file_open_record(path);
    bool known = true;
    while (file && known && (length = getline(&line, &size, file)) >= 0) {
        json_t *record = json_read_line(line, (size_t)length);
        const bool is_record = json_is_object(record);
        known = record_is_known(record, path, ++number);
        broken = !is_record && broken == 0 ? number : broken;
        json_add(records, is_record ? json_incref(record) : json_null());
        json_decref(record);
    }
    const bool good = file && !ferror(file);
    if (broken > 0)
        complain("%s: line %zu is no record: it is left out, the other runs are used", path,
                 broken);
    if (!good)
        complain("%s cannot be read (%s): check the folder", path, file_why(errno));
    if (file)
        fclose(file);
    if (good && known)
        return records;
    json_decref(records);
    return NULL;
}

void replay_records(struct session *session, const json_t *records)
{
    char why[256];
    for (size_t i = 0; i < json_array_size(records); i++)
        (void)replay_take(session, json_array_get(records, i), why, sizeof why);
}

bool replay_file(struct session *session, const char *folder)
{
    OWNED char *path = text_of("%s/runs.jsonl", folder);
    json_t *records = records_read(path);
    replay_records(session, records);
    json_decref(records);
    return records != NULL;
}

bool replay_open(struct experiment *experiment, struct session *session, const char *folder)
{
    if (!experiment_open(experiment, folder))
        return false;
    session_init(session, &experiment->settings);
    session->experiment = experiment;
    session->outside = stop_reason(experiment_stopped(experiment));
    return replay_file(session, folder);
}
