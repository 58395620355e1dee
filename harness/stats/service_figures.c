// Adds to a result what the service took, and warns of its restarts.
#include "messages.h"
#include "record.h"
#include "result.h"
#include "session.h"
#include "shares.h"

#include "common/record_json.h"

#include <math.h>

static json_t *share(double part, double whole)
{
    return json_figure(whole > 0 ? part / whole : NAN);
}

void service_add(const struct session *session, json_t *conditions)
{
    const bool is_there = service_is_there(session->experiment);
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        struct service_use used = {.memory_bytes = NAN, .starts = NAN}; // memory: the largest
        size_t runs = 0, starts = 0; // different ones, as far as neighbouring runs show
        EACH_USED (run, session, i) {
            const struct service_use *service = &session->facts[run->fact].service;
            if (!service->is_there)
                continue;
            runs++;
            used.elapsed_s += service->elapsed_s;
            used.cpu_s += service->cpu_s;
            used.memory_bytes = fmax(used.memory_bytes, service->memory_bytes);
            used.stall_s += service->stall_s;
            starts += service->starts != used.starts; // true of the first, for NAN
            used.starts = service->starts;
        }
        json_object_set_new(
            json_array_get(conditions, i), "service",
            !is_there
                ? json_null()
                : json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "runs", (json_int_t)runs,
                            "cpu_s", share(used.cpu_s, (double)runs), "cpus",
                            share(used.cpu_s, used.elapsed_s), "memory_bytes",
                            json_figure(used.memory_bytes), "cpu_stall_share",
                            share(used.stall_s, used.elapsed_s), "starts", (json_int_t)starts,
                            "died", (json_int_t)session->conditions[i].failures[FAILURE_SERVICE]));
    }
}

// A new one is wished for each block, unless one is kept for all, or for each run, where some have
// settings of it; in a session that resumes they are counted from 1 again.
void service_warnings(const struct session *session, json_t *warnings)
{
    const bool is_kept = json_is_true(experiment_setting(session->experiment, "keep_service"));
    const json_t *json = session->experiment->json;
    // Whether the kernel shares the CPUs among sessions first.
    const bool matters =
        json_number_at(json_object_get(json, "environment"), "autogroup") > 0 &&
        json_is_null(json_object_get(json_object_get(json, "arrangement"), "cgroup"));
    struct message restarted = {.flag = FLAG_SERVICE_RESTARTED, .of_runs = session->count};
    struct message apart = {.flag = FLAG_SERVICE_APART, .of_runs = session->count};
    const bool is_new = service_is_set(session->experiment);
    double last = NAN;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const struct service_use *service = &session->facts[run->fact].service;
        if (!is_new && service->starts > last &&
            (is_kept || run->block == session->runs[i - 1].block))
            message_run(&restarted, run->order);
        if (matters && service->own_session)
            message_run(&apart, run->order);
        last = service->starts;
    }
    message_add_some(warnings, &restarted);
    message_add_some(warnings, &apart);
}
