#include "experiment.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

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
