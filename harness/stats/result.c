// Makes result.json of a session, or of the records of a folder alone.
#include "result.h"

#include "decide.h"
#include "fixed_time.h"
#include "json.h"
#include "judgement.h"
#include "session.h"
#include "shares.h"
#include "starts.h"
#include "verdicts.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

#include <math.h>

// Seconds to the forecast, where the records have times.
static void add_seconds(const struct session *session, json_t *forecast)
{
    const size_t after = (size_t)json_integer_value(json_object_get(forecast, "after_runs"));
    const double expected = json_number_value(json_object_get(forecast, "expected_runs"));
    const double took = elapsed_s(session->facts, session->fact_count);
    if (!json_is_object(forecast) || isnan(took) || after == 0 || after > session->fact_count)
        return;
    const double so_far = elapsed_s(session->facts, after);
    json_extend(forecast, json_pack("{s:o, s:o, s:o}", "after_s", json_figure(so_far), "expected_s",
                                    json_figure(so_far * expected / (double)after), "took_s",
                                    json_figure(took)));
}

json_t *result_build(struct session *session)
{
    const struct experiment *experiment = session->experiment;
    json_t *result = must(json_copy(experiment->json));
    json_auto_t *summary = summary_build(session);
    attribution_add(session, summary);
    waiting_add(session, json_object_get(summary, "conditions"));
    fixed_time_add(session, summary);
    service_add(session, json_object_get(summary, "conditions"));
    service_warnings(session, json_object_get(summary, "warnings"));
    starts_warnings(session, json_object_get(summary, "warnings"));
    client_add(session, json_object_get(summary, "conditions"));
    client_use_warnings(session, json_object_get(summary, "warnings"));
    client_warnings(session, json_object_get(summary, "warnings"));
    add_seconds(session, json_object_get(summary, "forecast"));
    disturbances_add(session, json_object_get(summary, "warnings"));
    unlike_cores_add(experiment, json_object_get(summary, "warnings"));
    json_object_set_new(result, "machine",
                        machine_json(session, json_object_get(summary, "warnings")));
    usual_warn(json_object_get(experiment->json, "unusual"), json_object_get(summary, "warnings"));
    judgements_name_problems(summary);
    verdicts_add(session, summary);
    undecided_add(session, summary);
    json_object_set_new(result, "capacity", capacity_json(session));
    json_object_set_new(result, "protection",
                        protection_json(session, json_object_get(summary, "slowdowns")));
    json_object_set_new(result, "schema", json_string(SCHEMA_RESULT));
    json_object_del(result, "stopped");
    json_object_del(result, "unusual");
    json_object_del(result, "busy");
    json_object_update(result, summary);
    return result;
}

bool result_write(const json_t *result, const char *folder)
{
    OWNED char *path = record_path(folder, RESULT_FILE);
    const bool good = output_document(result, path);
    if (good)
        save_ignore_results(path);
    return good;
}

static bool derive(const char *folder)
{
    struct experiment experiment = {0};
    struct session session = {0};
    OWNED char *path = record_path(folder, RESULT_FILE);
    const bool good = replay_open(&experiment, &session, folder, false);
    bool written = false;
    if (good) {
        // How it ended, if that is known: what ended it is history, also where its runs would not
        // end it by the rules of now.
        json_auto_t *earlier = json_read_record(path, 0, NULL);
        const json_t *condition = json_array_get(json_object_get(earlier, "conditions"), 0);
        if (session.outside == STOP_NOT)
            session.outside = stop_reason(json_text_at(condition, "stop_reason"));
        json_auto_t *result = result_build(&session);
        written = result_write(result, folder);
    }
    session_free(&session);
    experiment_close(&experiment);
    return written;
}

int result_derive(char *const *folders, int count)
{
    int failed = 0;
    for (int i = 0; i < count; i++)
        failed += derive(folders[i]) ? 0 : 1;
    return failed > 0 ? 1 : 0;
}
