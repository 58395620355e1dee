// What the client of a service computes and waits for, and whether it is the limit of what is
// measured.
#include "json.h"
#include "messages.h"
#include "result.h"
#include "session.h"
#include "shares.h"

#include "harness/record/settings.h"

#include <math.h>

// A client that computes for more of what its threads have than this can hardly make more requests.
static const double full_share = 0.9;
// Where it did in fewer of the runs it is not what decides.
static const double least_full_runs = 0.25;
// Waiting that grew by less than this part of the time is no more than what runs differ by.
static const double least_growth = 0.05;
// Runs of each side that a difference of means can be told from chance with.
enum { LEAST_RUNS = 3 };

// What the client and its service did in one run; NAN: the record does not say.
struct use {
    double cpus, waits;                 // of the client: CPUs kept busy, share of time waiting
    double service_cpus, service_waits; // for one
    double most;                        // CPUs that the client's threads can keep busy
};

// How many threads the client says that it has (a metric with role=threads).
static double threads_said(const struct session *session, const struct observation *run)
{
    const json_t *definitions = experiment_setting(session->experiment, "metrics");
    const size_t count = json_array_size(definitions);
    for (size_t i = 0; i < count; i++)
        if (json_text_is(json_array_get(definitions, i), "role", "threads"))
            return session->defined[run->fact * count + i];
    return NAN;
}

// As many as it has threads; where it does not say one, or, as it surely has several, all that it
// may use.
static double most_cpus(const struct session *session, const struct observation *run)
{
    const struct account *account = &session->facts[run->fact].account;
    const struct sums sums = times_sum(&account, 1);
    const double said = threads_said(session, run);
    const double allowed = sums.cpus > 0 ? (double)sums.cpus : (double)NAN;
    double threads = said;
    if (!(said > 0))
        threads = threads_of(&sums).several ? allowed : 1;
    return threads > allowed ? allowed : threads;
}

static struct use use_of(const struct session *session, const struct observation *run)
{
    const struct facts *facts = &session->facts[run->fact];
    const struct times *times = &facts->account.times;
    const struct service_use *service = &facts->service;
    return (struct use){.cpus = times->cpu_s / times->wall_s,
                        .waits = facts->account.value[OWN_CPU] / times->wall_s,
                        .service_cpus = service->cpu_s / times->wall_s,
                        .service_waits = service->stall_s / service->elapsed_s,
                        .most = most_cpus(session, run)};
}

// Whether the records of the target are its client's own: with --account they are of what is
// counted in its place.
static bool is_known(const struct session *session)
{
    return service_is_there(session->experiment) &&
           !json_is_string(experiment_setting(session->experiment, "account"));
}

static json_t *client_json(const struct session *session, size_t condition)
{
    double wall_s = 0, cpu_s = 0, waits_s = 0, most = NAN;
    size_t runs = 0;
    EACH_USED (run, session, condition) {
        const struct account *account = &session->facts[run->fact].account;
        wall_s += account->times.wall_s;
        cpu_s += account->times.cpu_s;
        waits_s += account->value[OWN_CPU];
        most = fmax(most, most_cpus(session, run));
        runs++;
    }
    return runs == 0 ? json_null()
                     : json_pack("{s:I, s:o, s:o, s:o, s:o}", "runs", (json_int_t)runs, "cpu_s",
                                 json_figure(cpu_s / (double)runs), "cpus",
                                 json_figure(cpu_s / wall_s), "most_cpus", json_figure(most),
                                 "cpu_stall_share", json_figure(waits_s / wall_s));
}

void client_add(const struct session *session, json_t *conditions)
{
    for (size_t i = 0; is_known(session) && i < json_array_size(conditions); i++)
        json_object_set_new(json_array_get(conditions, i), "client", client_json(session, i));
}

// ---- who is the limit ----

static void warn_of_full(const struct session *session, size_t condition, json_t *warnings)
{
    struct message message = {.flag = FLAG_CLIENT_FULL,
                              .condition = session->settings->conditions[condition]};
    struct use sum = {0};
    size_t full = 0;
    EACH_USED (run, session, condition) {
        const struct use use = use_of(session, run);
        message.of_runs++;
        if (!(use.cpus > full_share * use.most && use.cpus > use.service_cpus))
            continue;
        message_run(&message, run->order);
        full++;
        sum.cpus += use.cpus;
        sum.service_cpus += use.service_cpus;
        sum.most += use.most;
    }
    message_detail(&message, "cpus", "%.2f", sum.cpus / (double)full);
    message_detail(&message, "most", "%.3g CPU%s", sum.most / (double)full,
                   sum.most > (double)full ? "s" : "");
    message_detail(&message, "service", "%.2f", sum.service_cpus / (double)full);
    if ((double)full < least_full_runs * (double)message.of_runs) {
        json_decref(message.runs);
        message.runs = NULL;
    }
    message_add_some(warnings, &message);
}

// ---- whom the load hit ----

// Shares of the time in which client and service waited for a CPU, and by how much the client's was
// larger: of the runs of a condition in which both are known.
struct waiting {
    struct sample client, service, more;
};

static struct waiting waiting_of(const struct session *session, size_t condition)
{
    struct waiting waiting = {0};
    EACH_USED (run, session, condition) {
        const struct use use = use_of(session, run);
        if (!isfinite(use.waits) || !isfinite(use.service_waits))
            continue;
        sample_add(&waiting.client, use.waits);
        sample_add(&waiting.service, use.service_waits);
        sample_add(&waiting.more, use.waits - use.service_waits);
    }
    return waiting;
}

static void waiting_free(struct waiting *waiting)
{
    sample_free(&waiting->client);
    sample_free(&waiting->service);
    sample_free(&waiting->more);
}

// Whether the client's waiting grew by more than the service's, for certain.
static bool grew_more(struct session *session, const struct waiting *alone,
                      const struct waiting *loaded)
{
    const size_t n = alone->more.count, m = loaded->more.count;
    if (n < LEAST_RUNS || m < LEAST_RUNS ||
        !(loaded->client.mean - alone->client.mean > least_growth))
        return false;
    const double error = critical_t(&session->critical, (double)(n < m ? n : m) - 1) *
                         sqrt(sample_variance(&alone->more) / (double)n +
                              sample_variance(&loaded->more) / (double)m);
    return loaded->more.mean - alone->more.mean > error;
}

static void warn_of_hit(struct session *session, size_t condition, json_t *warnings)
{
    const size_t reference = settings_reference(session->settings, condition, AGAINST_ALONE);
    if (reference == condition)
        return;
    struct waiting alone = waiting_of(session, reference), loaded = waiting_of(session, condition);
    if (grew_more(session, &alone, &loaded)) {
        struct message message = {.flag = FLAG_CLIENT_HIT,
                                  .condition = session->settings->conditions[condition]};
        message_detail(&message, "client", "%.3g %%, up from %.3g %%", 100 * loaded.client.mean,
                       100 * alone.client.mean);
        message_detail(&message, "service", "%.3g %%, from %.3g %%", 100 * loaded.service.mean,
                       100 * alone.service.mean);
        message_add(warnings, &message);
    }
    waiting_free(&alone);
    waiting_free(&loaded);
}

void client_use_warnings(struct session *session, json_t *warnings)
{
    for (size_t i = 0; is_known(session) && i < session->settings->condition_count; i++) {
        warn_of_full(session, i, warnings);
        warn_of_hit(session, i, warnings);
    }
}
