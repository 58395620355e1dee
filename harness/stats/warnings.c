// Warns of failed runs, short loads, washouts, and errors that are too large.
#include "decide.h"
#include "effect.h"
#include "judgement.h"
#include "matters.h"
#include "messages.h"
#include "metrics.h"
#include "not_converged.h"
#include "record.h"
#include "result.h"
#include "sample.h"
#include "session.h"
#include "statistic.h"
#include "verdict.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>

// "baseline: 2 by exit code, 1 by signal; half: 1 by time-out"; to be freed.
static char *failed_kinds(const struct session *session)
{
    static const char *const kinds[FAILURES] = {"",
                                                "by exit code",
                                                "by signal",
                                                "by time-out",
                                                "not started",
                                                "without a figure",
                                                "by the kernel, for want of memory",
                                                "by the end of the service"};
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    const char *before = "";
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        const size_t *failures = session->conditions[i].failures;
        if (session_failed(session, i) == 0)
            continue;
        fprintf(stream, "%s%s", before, session->settings->conditions[i]);
        before = ": ";
        for (enum failure kind = FAILURE_NONE + 1; kind < FAILURES; kind++)
            if (failures[kind] > 0) {
                fprintf(stream, "%s%zu %s", before, failures[kind], kinds[kind]);
                before = ", ";
            }
        before = "; ";
    }
    return stream_text(stream, &text);
}

// All that failed: also the runs that were made again when the experiment was resumed,
// which have no order any more.
static void add_failed(const struct session *session, json_t *list)
{
    struct message message = {.flag = FLAG_FAILED_RUNS};
    OWNED char *kinds = failed_kinds(session);
    size_t censored = 0, without = 0, late = 0, all = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        censored += session->conditions[i].censored;
        late += session->conditions[i].failures[FAILURE_TIMED_OUT];
        all += session_failed(session, i);
        without += session->conditions[i].failures[FAILURE_METRIC];
    }
    // Whether runs that ended too early count like the others.
    const bool early = session->failed - session->unusable > censored;
    for (size_t i = 0; i < session->count; i++)
        if (session->runs[i].failure != FAILURE_NONE)
            message_run(&message, session->runs[i].order);
    message_detail(&message, "few", "%zu", session->failed + session->set_aside);
    message_detail(&message, "all", "%zu", session->count + session->set_aside);
    message_detail(&message, "kinds", "%s", kinds);
    if (session->settings->ignored.any && without > 0 && session->failed == without + censored)
        message_detail(&message, "meaning",
                       "because of --ignore-failure their other figures count");
    else if (early)
        message_detail(&message, "meaning",
                       "they count like the others because of --ignore-failure, but a run that "
                       "ends early is no measure of the work");
    else
        message_detail(&message, "meaning",
                       censored > 0 ? "those that the time-out ended count as lower bounds"
                                    : "the figures are of those that succeeded");
    // Of a run that was ended by us, what it wrote says nothing.
    message_detail(&message, "remedy", "%s",
                   late < all ? "check the program's output"
                              : "raise --timeout, or end whatever else runs");
    if (early) // also of the baseline, so that a ratio may be too high
        message.bias = BIAS_ALL;
    message_add(list, &message);
}

static void add_timed_out(const struct session *session, size_t condition, json_t *list)
{
    const struct metric_settings *metrics = &session->settings->metrics;
    struct message message =
        message_about(session->settings, FLAG_TIMED_OUT, condition, MAX_METRICS);
    bool has_output = false; // figures are taken from what the target prints
    for (size_t i = 0; i < metrics->count; i++)
        has_output = has_output || !metrics->item[i].builtin;
    EACH_USED (run, session, condition)
        if (run->failure == FAILURE_TIMED_OUT)
            message_run(&message, run->order);
    message.of_runs = session->conditions[condition].runs;
    message_detail(&message, "statistic", "%s", statistic_words[session->settings->statistic]);
    if (has_output)
        message_detail(&message, "output", "; what they printed does not count");
    message_add(list, &message);
}

// Blocks that were measured with too little between a loaded run and the next.
static void add_washout(const struct session *session, json_t *list)
{
    struct message message = {.flag = FLAG_WASHOUT};
    const bool one = session->washed == 1;
    for (size_t i = 0; i < session->count; i++)
        if (session->runs[i].block <= session->unwashed)
            message_run(&message, session->runs[i].order);
    message_detail(&message, "why", "%s",
                   session->settings->washout.automatic
                       ? "the load's after-effects showed in the baseline's runs: "
                       : "");
    message_detail(&message, "block", "%zu", session->unwashed + 1);
    message_detail(&message, "runs", "%zu", session->washed);
    message_detail(&message, "plural", "%s", one ? "" : "s");
    message_detail(&message, "singular", "%s", one ? "s" : "");
    message_detail(&message, "excluded", "%zu", json_array_size(message.runs));
    message_add(list, &message);
}

// A share of the CPUs that is worth a word.
static const double shared = 0.99;

// What else took the CPUs explains why a load was short where it took at least the CPU time that
// the load would have needed for the rest of its rate.
static bool is_by_others(const struct session *session, size_t condition,
                         const struct load_sum *load)
{
    const double lacking = load->delivery.due / load->delivery.done - 1; // of what it did
    return disturbed_and_said(session) && disturbed_by_others(session, condition) &&
           load->delivery.done > 0 && load->foreign_s >= lacking * load->judged_cpu_s;
}

// A load of a condition that was short on average, or only in some runs; and one whose CPU time is
// a lower bound.
static void add_load(const struct session *session, size_t condition, const struct load_sum *load,
                     json_t *list)
{
    const enum flag kind = !delivery_is_short(&load->delivery) ? FLAG_LOAD_UNEVEN
                           : load->delivery.due > 0            ? FLAG_LOAD_SHORT
                                                               : FLAG_LOAD_NONE;
    struct message uneven = message_about(session->settings, kind, condition, MAX_METRICS);
    struct message bound = message_about(session->settings, FLAG_LOAD_TIME, condition, MAX_METRICS);
    const double done = load->delivery.done / load->judged_offered;
    const double share = load->delivery.due / load->judged_offered;
    for (size_t i = 0; i < load->short_count; i++)
        message_run(&uneven, load->short_runs[i]);
    uneven.of_runs = load->judged_runs;
    uneven.follows = is_by_others(session, condition, load);
    message_detail(&uneven, "load", "load %s", load->name);
    message_detail(&uneven, "percent", "%.2g", 100 * done);
    if (share < shared)
        message_detail(&uneven, "share", " (%.0f %% was possible beside the target alone)",
                       100 * share);
    message_detail(&uneven, "remedy", "%s",
                   disturbed_by_others(session, condition)
                       ? "other programs took the CPUs: end them (jostle doctor names them), and "
                         "measure again"
                       : "lower the load's rate, or give it CPUs of its own with --load-cpus");
    message_add_some(list, &uneven);
    if (!load->bound)
        return;
    message_detail(&bound, "load", "load %s", load->name);
    message_add(list, &bound);
}

static void add_error(const struct session *session, size_t condition, size_t metric, double error,
                      size_t runs, bool matters, json_t *list)
{
    if (error <= session->settings->error)
        return;
    struct message message = not_converged(session, condition, metric, error, runs);
    message.matters = matters;
    message.follows = disturbed_and_said(session) && isfinite(error);
    if (isfinite(error)) {
        // An interval narrows with the root of the number of runs.
        const double needed = (double)runs * pow(error / session->settings->error, 2);
        not_converged_remedy(&message, needed);
    } else { // too few runs, or too scattered ones
        const struct settings *settings = session->settings;
        const bool typical =
            settings->statistic == STATISTIC_TYPICAL && settings->condition_count > 1;
        // Of how many runs a statistic has an interval at all.
        const size_t needed =
            statistic_runs(settings->statistic, metric_planned_confidence(session));
        if (runs < needed)
            message_detail(&message, "limit", ": the %s needs at least %zu runs for an interval%s",
                           typical ? "typical ratio" : statistic_words[settings->statistic], needed,
                           settings_has_gate(settings) ? " that is looked at after each block"
                                                       : "");
        not_converged_remedy(&message, NAN);
    }
    message_add(list, &message);
}

static void add_noise(struct session *session, struct ratio of, json_t *list)
{
    if (of.condition == settings_aa(session->settings) || !metric_is_judged(session, of) ||
        judgement_effect(session, of) == EFFECT_SEEN)
        return;
    struct message message = message_about(session->settings, FLAG_NOISE, of.condition, of.metric);
    message_detail(&message, "effect", "%s",
                   metrics_is_time(&session->settings->metrics, of.metric) ? "slowdown" : "change");
    const double floor = metric_noise_floor(session, of.metric);
    if (settings_aa(session->settings) > 0 && isfinite(floor))
        message_detail(&message, "floor", ", whose floor is %.3g %%", 100 * floor);
    message_add(list, &message);
}

// The ratio that decides, or the mean of a lone condition, is not as narrow as requested.
static void add_wide(struct session *session, struct ratio of, json_t *list)
{
    const struct settings *settings = session->settings;
    if (!settings->metrics.item[of.metric].decides)
        return;
    if (settings->condition_count == 1) {
        add_error(session, of.condition, of.metric,
                  metric_location(session, of.condition, of.metric).interval.error,
                  session->conditions[of.condition].runs, true, list);
        return;
    }
    if (!settings_compares(settings, of.condition, of.against))
        return;
    const size_t pairs = session_pairs(session, of)->count;
    const double error = pairs > 0 ? metric_ratio(session, of).error : NAN;
    // With a gate the verdict counts, not the error, unless there can be neither.
    const bool neither = settings->statistic != STATISTIC_MEAN && !isfinite(error);
    if (!settings_has_gate(settings) || neither)
        add_error(session, of.condition, of.metric, error, pairs, matters_open(session, of), list);
}

// What the result is of: the ratios, or the mean of a lone condition.
static void add_result(struct session *session, size_t condition, size_t metric, json_t *list)
{
    const struct ratio deciding = settings_deciding(session->settings, condition, metric),
                       alone = {condition, AGAINST_ALONE, metric};
    const struct sample *base = &session->conditions[0].metric[metric];
    const struct sample *loaded = &session->conditions[condition].metric[metric];
    const bool negligible = metric_is_negligible(session, condition, metric);
    if (!negligible && session_censored(session, deciding) == 0)
        add_wide(session, deciding, list);
    if (!negligible && settings_compares(session->settings, condition, AGAINST_ALONE) &&
        session_censored(session, alone) == 0 && session_pairs(session, alone)->count > 0)
        add_noise(session, alone, list);
    // Of what jostle counts the baseline may have none.
    if (base->count > 0 && !(base->mean > 0) && loaded->mean > 0) {
        struct message message = message_about(session->settings, FLAG_NO_RATIO, condition, metric);
        message_add(list, &message);
    }
}

static void add_loads(struct session *session, json_t *list)
{
    for (size_t i = 0; i < session->settings->condition_count; i++)
        for (size_t k = 0; k < session->conditions[i].load_count; k++)
            add_load(session, i, &session->conditions[i].loads[k], list);
}

json_t *warnings_of(struct session *session)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    if (session->failed + session->set_aside > 0)
        add_failed(session, list);
    if (settings_has_capacity(settings)) {
        capacity_warnings(session, list);
        add_loads(session, list);
        return list;
    }
    if (session->unwashed > 0)
        add_washout(session, list);
    if (carry_over_is_slow(session)) {
        struct message message = {.flag = FLAG_CARRY_OVER_SLOW, .matters = true};
        message_detail(&message, "runs", "%zu", session->washed);
        message_add(list, &message);
    }
    for (size_t i = 0; i < settings->condition_count; i++)
        if (session->conditions[i].censored > 0)
            add_timed_out(session, i, list);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (metrics_reports(&settings->metrics, m) && session->conditions[i].censored == 0 &&
                !metric_is_negligible(session, i, m))
                oddities_add(session, i, m, list);
    add_loads(session, list);
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (metrics_reports(&settings->metrics, m))
                add_result(session, i, m, list);
    return list;
}
