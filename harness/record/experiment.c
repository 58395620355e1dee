// Reads experiment.json: what is measured, and on what machine.
#include "experiment.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <string.h>

static bool wrong(const char *folder, const char *what)
{
    return complain("%s/" EXPERIMENT_FILE
                    ": %s: give a folder that jostle run or slowdown has made",
                    folder, what);
}

bool experiment_open(struct experiment *experiment, const char *folder)
{
    OWNED char *path = record_path(folder, EXPERIMENT_FILE);
    json_error_t error;
    const json_t *json;
    *experiment = (struct experiment){0};
    json = experiment->json = json_read_record(path, 0, &error);
    if (!json)
        return wrong(folder, error.text);
    const char *schema = json_text_at(json, "schema");
    if (schema && strcmp(schema, SCHEMA_EXPERIMENT) != 0) {
        complain("%s/" EXPERIMENT_FILE
                 " has the schema %s, and this version reads %s: use the jostle "
                 "that made it",
                 folder, schema, SCHEMA_EXPERIMENT);
        experiment_close(experiment);
        return false;
    }
    if (!settings_read(&experiment->settings, json)) {
        experiment_close(experiment);
        return wrong(folder, "it has no loads or no settings");
    }
    // Conditions with settings of the kernel: those of the loads of which `loads` says so.
    for (size_t i = 0; i < experiment->settings.condition_count; i++) {
        const json_t *load = json_named(json_object_get(json, "loads"), "name",
                                        experiment_member(experiment, i, "load"));
        experiment->settings.adjusted[i] = json_is_object(json_object_get(load, "settings"));
    }
    const double cpus = json_number_at(json_object_get(json, "environment"), "cpus_online");
    experiment->cpus = isnan(cpus) ? 1 : cpus;
    // Of the session that measures now: an experiment that was resumed has its own.
    const json_t *resumed = json_object_get(json, "resumed");
    const json_t *now = json_array_get(resumed, json_array_size(resumed) - 1);
    const json_t *before = json_object_get(now ? now : json, "before");
    experiment->shared_at_once =
        json_array_size(json_object_get(json_object_get(before, "neighbours"), "jobs")) > 0;
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

const json_t *experiment_setting(const struct experiment *experiment, const char *name)
{
    return experiment ? json_object_get(json_object_get(experiment->json, "settings"), name) : NULL;
}

bool service_is_there(const struct experiment *experiment)
{
    return json_is_string(experiment_setting(experiment, "service"));
}

bool service_is_set(const struct experiment *experiment)
{
    JSON_EACH (load, experiment ? json_object_get(experiment->json, "loads") : NULL)
        if (json_array_size(json_object_get(json_object_get(load, "settings"), "service")) > 0)
            return true;
    return false;
}
