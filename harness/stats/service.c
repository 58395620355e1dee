#include "service.h"

#include "json.h"
#include "judge.h"
#include "messages.h"

#include <math.h>

// Over the used runs of one condition.
struct sums {
    size_t runs;
    double elapsed_s, cpu_s;
    double memory_bytes; // the largest; NAN: not known
    double stall_s;      // for a CPU; NAN: not known
    size_t starts;       // different ones, as far as neighbouring runs show
    double last_start;
};

static void add_run(struct sums *sums, const json_t *service)
{
    const double start = judge_number(service, "starts");
    sums->runs++;
    sums->elapsed_s += judge_number(service, "elapsed_s");
    sums->cpu_s += judge_number(service, "cpu_s");
    sums->memory_bytes = fmax(sums->memory_bytes, judge_number(service, "memory_bytes"));
    sums->stall_s += judge_number(json_object_get(service, "stalls"), "cpu_s");
    sums->starts += start != sums->last_start; // true of the first, for NAN
    sums->last_start = start;
}

static struct sums sums_of(const struct session *session, const struct replay *replay,
                           int condition)
{
    struct sums sums = {.memory_bytes = NAN, .last_start = NAN};
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const json_t *service = json_object_get(replay->used[i], "service");
        if (run->condition == condition && session_uses(session, run) && json_is_object(service))
            add_run(&sums, service);
    }
    return sums;
}

static json_t *share(double part, double whole)
{
    return json_figure(whole > 0 ? part / whole : NAN);
}

bool service_is_there(const struct experiment *experiment)
{
    return json_is_string(
        json_object_get(json_object_get(experiment->json, "settings"), "service"));
}

void service_add(const struct experiment *experiment, const struct session *session,
                 const struct replay *replay, json_t *conditions)
{
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const struct sums sums = sums_of(session, replay, (int)i);
        json_t *service = json_null();
        if (service_is_there(experiment))
            service = json_pack(
                "{s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "runs", (json_int_t)sums.runs, "cpu_s",
                share(sums.cpu_s, (double)sums.runs), "cpus", share(sums.cpu_s, sums.elapsed_s),
                "memory_bytes", json_figure(sums.memory_bytes), "cpu_stall_share",
                share(sums.stall_s, sums.elapsed_s), "starts", (json_int_t)sums.starts, "died",
                (json_int_t)session->conditions[i].failures[FAILURE_SERVICE]);
        json_object_set_new(json_array_get(conditions, i), "service", service);
    }
}

// Adds the message, of those runs that it has, if there are any.
static void warn(json_t *warnings, struct message *message, size_t all)
{
    if (json_array_size(message->runs) == 0) {
        json_decref(message->runs);
        return;
    }
    message_detail(message, "count", "%zu", json_array_size(message->runs));
    message_detail(message, "all", "%zu", all);
    json_array_append_new(warnings, message_finish(message, false));
}

// Whether the kernel shares the CPUs among sessions first.
static bool sessions_matter(const struct experiment *experiment)
{
    const json_t *environment = json_object_get(experiment->json, "environment");
    const json_t *arrangement = json_object_get(experiment->json, "arrangement");
    return judge_number(environment, "autogroup") > 0 &&
           json_is_null(json_object_get(arrangement, "cgroup"));
}

// A new one is wished for each block, unless one is kept for all; in a session that resumes they
// are counted from 1 again.
void service_warnings(const struct experiment *experiment, const struct session *session,
                      const struct replay *replay, json_t *warnings)
{
    const json_t *settings = json_object_get(experiment->json, "settings");
    const bool is_kept = json_is_true(json_object_get(settings, "keep_service"));
    const bool matters = sessions_matter(experiment);
    struct message restarted = {.flag = FLAG_SERVICE_RESTARTED, .runs = json_array()};
    struct message apart = {.flag = FLAG_SERVICE_APART, .runs = json_array()};
    double last = NAN;
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const json_t *service = json_object_get(replay->used[i], "service");
        const double start = judge_number(service, "starts");
        if (start > last && (is_kept || run->block == session->runs[i - 1].block))
            json_array_append_new(restarted.runs, json_integer((json_int_t)run->order));
        if (matters && json_is_true(json_object_get(service, "own_session")))
            json_array_append_new(apart.runs, json_integer((json_int_t)run->order));
        last = start;
    }
    warn(warnings, &restarted, session->count);
    warn(warnings, &apart, session->count);
}
