#include "result.h"

#include "attribution.h"
#include "capacity_json.h"
#include "client.h"
#include "disturbances.h"
#include "elapsed.h"
#include "json.h"
#include "machine.h"
#include "output.h"
#include "service.h"
#include "summary.h"
#include "unlike_cores.h"
#include "usual.h"
#include "verdicts.h"
#include "waiting.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The records of the pairs that the slowdown of a condition is made of.
static void take_pairs(const struct session *session, const struct replay *replay, int condition,
                       json_t *before, json_t *after)
{
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const int base = run->condition == condition ? session_partner(session, run) : -1;
        if (base < 0)
            continue;
        json_array_append(before, replay->used[base]);
        json_array_append(after, replay->used[i]);
    }
}

static json_t *attribute(const struct experiment *experiment, struct session *session,
                         const struct replay *replay, const json_t *slowdown)
{
    const struct settings *settings = session->settings;
    const char *name = json_string_value(json_object_get(slowdown, "condition"));
    const char *metric = json_string_value(json_object_get(slowdown, "metric"));
    const char *statistic = json_string_value(json_object_get(slowdown, "statistic"));
    const double ratio = json_number_value(json_object_get(slowdown, "ratio"));
    const int condition = settings_condition(settings, name);
    // A client's time is also its service's, whose CPU time and waiting it does not show.
    if (service_is_there(experiment))
        return json_null();
    if (strcmp(metric, settings->metrics.item[WALL_S].name) != 0 || !(ratio > 1) ||
        condition <= 0 || condition == (int)settings_aa(settings) ||
        !json_is_true(json_object_get(slowdown, "distinguishable")))
        return json_null();
    json_t *before = json_array(), *after = json_array();
    take_pairs(session, replay, condition, before, after);
    json_t *attribution = attribution_of(&(struct attribution_case){
        .condition = name,
        .statistic = statistic && strcmp(statistic, "mean") != 0 ? statistic : NULL,
        .before = before,
        .after = after,
        .cpus = experiment->cpus,
        .critical = &session->critical,
    });
    json_decref(before);
    json_decref(after);
    return attribution;
}

static void add_attribution(const struct experiment *experiment, struct session *session,
                            const struct replay *replay, json_t *summary)
{
    json_t *slowdowns = json_object_get(summary, "slowdowns");
    for (size_t i = 0; i < json_array_size(slowdowns); i++) {
        json_t *slowdown = json_array_get(slowdowns, i);
        json_object_set_new(slowdown, "attribution",
                            attribute(experiment, session, replay, slowdown));
    }
}

// Seconds to the forecast, where the records have times.
static void add_seconds(const json_t *records, json_t *forecast)
{
    const size_t after = (size_t)json_integer_value(json_object_get(forecast, "after_runs"));
    const double expected = json_number_value(json_object_get(forecast, "expected_runs"));
    const double took = elapsed_s(records, json_array_size(records));
    if (!json_is_object(forecast) || isnan(took) || after == 0 || after > json_array_size(records))
        return;
    const double so_far = elapsed_s(records, after);
    json_object_set_new(forecast, "after_s", json_figure(so_far));
    json_object_set_new(forecast, "expected_s", json_figure(so_far * expected / (double)after));
    json_object_set_new(forecast, "took_s", json_figure(took));
}

json_t *result_build(const struct experiment *experiment, struct session *session,
                     const struct replay *replay)
{
    json_t *result = json_copy(experiment->json), *summary = summary_build(session);
    if (!result || !summary) {
        json_decref(result);
        json_decref(summary);
        return NULL;
    }
    add_attribution(experiment, session, replay, summary);
    waiting_add(experiment, session, replay, json_object_get(summary, "conditions"));
    service_add(experiment, session, replay, json_object_get(summary, "conditions"));
    service_warnings(experiment, session, replay, json_object_get(summary, "warnings"));
    client_warnings(experiment, session, replay, json_object_get(summary, "warnings"));
    add_seconds(replay->records, json_object_get(summary, "forecast"));
    disturbances_add(experiment, replay->records, session_left_out(session),
                     json_object_get(summary, "warnings"));
    unlike_cores_add(experiment, json_object_get(summary, "warnings"));
    json_object_set_new(result, "machine",
                        machine_json(session, replay, json_object_get(summary, "warnings")));
    usual_warn(json_object_get(experiment->json, "unusual"), json_object_get(summary, "warnings"));
    verdicts_add(session, summary);
    json_object_set_new(result, "capacity", capacity_json(experiment, session));
    json_object_set_new(result, "schema", json_string(SCHEMA_RESULT));
    json_object_del(result, "stopped");
    json_object_del(result, "unusual");
    json_object_update(result, summary);
    json_decref(summary);
    return result;
}

bool result_write(const json_t *result, const char *folder)
{
    char *path = NULL;
    const bool good =
        asprintf(&path, "%s/result.json", folder) >= 0 && output_document(result, path);
    free(path);
    return good;
}

// How the experiment in the folder ended, if that is known: what ended it is history, also
// where its runs would not end it by the rules of now.
static enum stop_reason ended_by(const struct experiment *experiment, const char *folder)
{
    const enum stop_reason outside = stop_reason(experiment_stopped(experiment));
    char *path = NULL;
    if (outside != STOP_NOT || asprintf(&path, "%s/result.json", folder) < 0)
        return outside;
    json_t *earlier = json_read_record(path, 0, NULL);
    const json_t *condition = json_array_get(json_object_get(earlier, "conditions"), 0);
    const char *name = json_string_value(json_object_get(condition, "stop_reason"));
    const enum stop_reason reason = name ? stop_reason(name) : STOP_NOT;
    json_decref(earlier);
    free(path);
    return reason;
}

static bool derive(const char *folder)
{
    struct experiment experiment;
    struct session session = {0};
    struct replay replay = {0};
    if (!experiment_read(&experiment, folder))
        return false;
    bool good =
        session_init(&session, &experiment.settings) && replay_file(&replay, &session, folder);
    if (good) {
        session.outside = ended_by(&experiment, folder);
        json_t *result = result_build(&experiment, &session, &replay);
        good = result && result_write(result, folder);
        json_decref(result);
    }
    replay_free(&replay);
    session_free(&session);
    experiment_free(&experiment);
    return good;
}

int result_derive(char *const *folders, int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += derive(folders[i]) ? 0 : 1;
    return failed > 0 ? 1 : 0;
}
