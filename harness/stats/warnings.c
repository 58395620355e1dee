#include "warnings.h"

#include "describe.h"
#include "messages.h"
#include "metrics.h"
#include "oddities.h"

#include <math.h>

static void finish(const struct session *session, json_t *list, struct message *message)
{
    json_array_append_new(list, message_finish(message, session->settings->condition_count == 1));
}

static struct message about(const struct session *session, enum flag flag, size_t condition,
                            enum metric metric)
{
    return (struct message){.flag = flag,
                            .condition = session->settings->conditions[condition],
                            .metric = metric_names[metric],
                            .runs = json_array()};
}

static void add_oddities(struct session *session, size_t condition, enum metric metric,
                         json_t *list)
{
    const unsigned flags = oddities_find(session, condition, metric);
    for (enum flag flag = 0; flag < ODDITIES; flag++) {
        if (!(flags >> flag & 1U))
            continue;
        struct message message = about(session, flag, condition, metric);
        describe_oddity(session, condition, metric, &message);
        finish(session, list, &message);
    }
}

static void add_failed(const struct session *session, json_t *list)
{
    struct message message = {.flag = FLAG_FAILED_RUNS, .runs = json_array()};
    for (size_t i = 0; i < session->count; i++)
        if (session->runs[i].failed)
            json_array_append_new(message.runs, json_integer((json_int_t)session->runs[i].order));
    message_detail(&message, "failure", "%s",
                   session->settings->ignore_failure
                       ? "some runs failed or were ended by the time-out, and count like the "
                         "others because of --ignore-failure: a run that ends early is no measure "
                         "of the work"
                       : "a run failed or was ended by the time-out, and the experiment with it: "
                         "the figures are of the runs before");
    finish(session, list, &message);
}

// A share of the CPUs that is worth a word.
static const double shared = 0.99;

// A load of a condition that was short on average, or only in some runs.
static void add_delivery(const struct session *session, size_t condition,
                         const struct load_sum *load, json_t *list)
{
    const bool is_short = judge_short(&load->delivery);
    struct message message = {.flag = is_short ? FLAG_LOAD_SHORT : FLAG_LOAD_UNEVEN,
                              .condition = session->settings->conditions[condition],
                              .runs = json_array()};
    const double offered = load->offered / (double)load->offered_runs;
    const double achieved = load->achieved / (double)load->achieved_runs;
    for (size_t i = 0; i < load->short_count; i++)
        json_array_append_new(message.runs, json_integer((json_int_t)load->short_runs[i]));
    message_detail(&message, "load", "load %s", load->name);
    message_detail(&message, "few", "%zu", load->short_count);
    message_detail(&message, "all", "%zu", load->judged_runs);
    message_detail(&message, "percent", "%.0f", 100 * achieved / offered);
    const double share = load->delivery.due / (double)load->judged_runs / offered;
    if (share < shared)
        message_detail(&message, "share", " (its share of the CPUs allowed %.0f %%)", 100 * share);
    finish(session, list, &message);
}

static void add_error(const struct session *session, size_t condition, enum metric metric,
                      double error, size_t runs, json_t *list)
{
    if (error <= session->settings->error)
        return;
    struct message message = about(session, FLAG_NOT_CONVERGED, condition, metric);
    if (isfinite(error)) {
        message_detail(&message, "error", "%.3g %%", 100 * error);
        message_detail(&message, "limit", ", more than the %.3g %% that --error allows",
                       100 * session->settings->error);
    } else { // too few runs, or too scattered ones
        message_detail(&message, "error", "not known");
    }
    message_detail(&message, "runs", "%zu run%s", runs, runs == 1 ? "" : "s");
    finish(session, list, &message);
}

static void add_noise(struct session *session, size_t condition, enum metric metric, json_t *list)
{
    if (condition == settings_aa(session->settings) ||
        metric_is_distinguishable(session, condition, metric))
        return;
    struct message message = about(session, FLAG_NOISE, condition, metric);
    const double floor = metric_noise_floor(session, metric);
    if (settings_aa(session->settings) > 0 && isfinite(floor))
        message_detail(&message, "floor", ", whose floor is %.3g %%", 100 * floor);
    finish(session, list, &message);
}

// What the result is of: the slowdowns, or the mean of a lone condition.
static void add_result(struct session *session, size_t condition, enum metric metric, json_t *list)
{
    const struct settings *settings = session->settings;
    if (metric_is_negligible(session, condition, metric))
        return;
    if (settings->condition_count == 1) {
        add_error(session, condition, metric,
                  metric_location(session, condition, metric).interval.error,
                  session->conditions[condition].runs, list);
        return;
    }
    if (condition == 0)
        return;
    const size_t pairs = session->conditions[condition].pairs[metric].count;
    // With a gate the verdict counts, not the error.
    if (!settings_has_gate(settings))
        add_error(session, condition, metric,
                  pairs > 0 ? metric_ratio(session, condition, metric).error : NAN, pairs, list);
    if (pairs > 0)
        add_noise(session, condition, metric, list);
}

json_t *warnings_of(struct session *session)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    if (session->failed > 0)
        add_failed(session, list);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (enum metric m = 0; m < METRICS; m++)
            if (settings->metric[m] && !metric_is_negligible(session, i, m))
                add_oddities(session, i, m, list);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t k = 0; k < session->conditions[i].load_count; k++)
            if (session->conditions[i].loads[k].short_count > 0)
                add_delivery(session, i, &session->conditions[i].loads[k], list);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (enum metric m = 0; m < METRICS; m++)
            if (settings->metric[m])
                add_result(session, i, m, list);
    return list;
}
