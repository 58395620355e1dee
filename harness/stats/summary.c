// Sums up what an experiment showed: conditions, slowdowns, comparisons, interactions.
#include "capacity.h"
#include "carry_over.h"
#include "decide.h"
#include "effect.h"
#include "gate.h"
#include "interval.h"
#include "json.h"
#include "judgement.h"
#include "messages.h"
#include "metrics.h"
#include "record.h"
#include "relation.h"
#include "result.h"
#include "sample.h"
#include "session.h"
#include "statistic.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/metric.h"
#include "common/record_json.h"

#include <math.h>

// ---- the summary ----

// Variants compared with the first, as the result has them.

// How the interval of a ratio is made, by name.
static json_t *method_json(const struct settings *settings, enum against against)
{
    static const char *const methods[STATISTICS][2] = {
        // of pairs, and of four conditions
        [STATISTIC_MEAN] = {"paired-fieller", "log-delta"},
        [STATISTIC_TRIMMED] = {"paired-trimmed", "log-delta-trimmed"},
        [STATISTIC_MEDIAN] = {"paired-quantiles", "combined-quantiles"},
        [STATISTIC_P90] = {"paired-quantiles", "combined-quantiles"},
        [STATISTIC_P99] = {"paired-quantiles", "combined-quantiles"},
        [STATISTIC_TYPICAL] = {"signed-ranks", "signed-ranks"},
    };
    return json_owned_text(text_of("%s%s", methods[settings->statistic][against == AGAINST_BOTH],
                                   settings_has_gate(settings) ? "-looks" : ""));
}

// A figure without variation has no error, rather than none.
static json_t *error_json(const struct interval *interval)
{
    return interval->constant ? json_null() : json_figure(interval->error);
}

static const char *reference_name(const struct settings *settings, struct ratio of)
{
    return settings->conditions[settings_reference(settings, of.condition, of.against)];
}

// What both kinds have in common.
static json_t *ratio_json(struct session *session, struct ratio of, const struct interval *ratio)
{
    const struct settings *settings = session->settings;
    const struct metric_setting *what = &settings->metrics.item[of.metric];
    const struct words_of names = words_of(settings, of.condition, of.metric);
    const size_t censored = session_censored(session, of);
    // An interaction decides nothing, and has no part of the shared error rate.
    const bool shares =
        what->decides && of.against != AGAINST_BOTH && settings_family(settings) > 1;
    json_t *json = json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:b, s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:I}", "variant",
        names.variant, "reference_variant", names.reference, "load", names.load, "metric",
        what->name, "statistic", statistic_names[settings->statistic], "requested", what->chosen,
        "decides", what->decides, "ratio", json_figure(ratio->center), "constant", ratio->constant,
        "ci", json_interval(ratio), "error", error_json(ratio), "p",
        json_figure(significance_p(session, of)), "method", method_json(settings, of.against),
        "simultaneous", shares, "censored", (json_int_t)censored);
    judgement_add(session, of, json);
    ratio_direction_add(what, ratio, names.reference, json); // the text is another one
    return json;
}

// That one variant is better needs the judgement, too; with --same-within the looks of the gate
// decide.
static enum relation relation_shown(struct session *session, struct ratio of)
{
    const enum relation relation = gate_relation(session, of);
    const bool is_open = relation != RELATION_SAME && !(session->settings->tolerance > 0) &&
                         judgement_effect(session, of) != EFFECT_SEEN;
    return is_open ? RELATION_UNDECIDED : relation;
}

static json_t *comparison(struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const struct interval ratio = metric_ratio(session, of);
    const bool is_time = words_is_time(&settings->metrics.item[of.metric]);
    json_t *json = ratio_json(session, of, &ratio);
    json_extend(json,
                json_pack("{s:s, s:s, s:I, s:s}", "condition", settings->conditions[of.condition],
                          "reference", reference_name(settings, of), "pairs",
                          (json_int_t)session_pairs(session, of)->count, "verdict",
                          relation_name(relation_shown(session, of), is_time)));
    ratio_record_add(session, of, json);
    json_object_set_new(json, "gate", json_null()); // unless it is judged
    json_object_set_new(json, "text", words_comparison(settings, of.condition, of.metric, &ratio));
    return json;
}

static json_t *interaction(struct session *session, struct ratio of)
{
    const struct interval ratio = metric_ratio(session, of);
    json_t *json = ratio_json(session, of, &ratio);
    json_object_set_new(
        json, "text",
        words_interaction(session->settings, of, &ratio, judgement_effect(session, of)));
    return json;
}

// Of each condition that is compared in that way, and of each metric that is reported.
static json_t *list_of(struct session *session, enum against against,
                       json_t *(*one)(struct session *session, struct ratio of))
{
    const struct settings *settings = session->settings;
    // An interaction is there where both variants are paired.
    const enum against pairing = against == AGAINST_BOTH ? AGAINST_REFERENCE : against;
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && metrics_reports(&settings->metrics, m) &&
                session->conditions[i].pairs[pairing][m].count > 0)
                json_array_append_new(list, one(session, (struct ratio){i, against, m}));
    return list;
}

static json_t *describe(struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    if (sample->count == 0)
        return json_null();
    struct location location = metric_location(session, condition, metric);
    double variance = sample_variance(sample);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:i, s:i, s:b, s:o, s:o, s:o}",
                     "mean", json_figure(sample->mean), "variance", json_figure(variance), "stddev",
                     json_figure(sqrt(variance)), "median", json_figure(sample_median(sample)),
                     "min", json_figure(sample_sorted(sample)[0]), "max",
                     json_figure(sample_sorted(sample)[sample->count - 1]), "statistic",
                     statistic_names[session->settings->statistic], "center",
                     json_figure(location.interval.center), "set_aside", 0, "outliers",
                     (int)location.outliers, "constant", location.interval.constant, "ci",
                     json_interval(&location.interval), "error", error_json(&location.interval),
                     "ci_robust", json_interval(&location.robust));
}

// All but those that each condition has by name.
static json_t *other_metrics(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    json_t *object = json_object();
    for (size_t m = BASIC_METRICS; m < settings->metrics.count; m++) {
        json_t *one = describe(session, condition, m);
        if (json_is_object(one))
            json_extend(one,
                        json_pack("{s:s, s:s}", "unit", settings->metrics.item[m].unit, "better",
                                  metric_better_names[settings->metrics.item[m].higher_is_better]));
        json_object_set_new(object, settings->metrics.item[m].name, one);
    }
    return object;
}

static json_t *loads_json(const struct condition *condition)
{
    json_t *list = json_array();
    for (size_t i = 0; i < condition->load_count; i++) {
        const struct load_sum *load = &condition->loads[i];
        const struct load_rates rates = load_rates(load);
        json_t *one = json_pack("{s:s, s:s}", "name", load->name, "unit", load->unit);
        for (enum load_figure k = 0; k < LOAD_FIGURES; k++) {
            const bool is_count = k == LOAD_LATE || k == LOAD_DROPPED;
            const double runs = is_count ? 1 : (double)load->known[k]; // else it is a mean
            const double value = k == LOAD_OFFERED    ? rates.offered
                                 : k == LOAD_ACHIEVED ? rates.achieved
                                 : runs > 0           ? load->sum[k] / runs
                                                      : NAN;
            json_object_set_new(one, load_figures[k], json_figure(value));
        }
        json_extend(one, json_pack("{s:i, s:b}", "runs", (int)load->runs, "short",
                                   delivery_is_short(&load->delivery)));
        json_array_append_new(list, one);
    }
    return list;
}

// Of the interval that decides: the condition's own ratio, of what others are compared with the
// worst of these, of a lone condition its mean; or its capacity.
static double deciding_error(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    if (settings_has_capacity(settings))
        return capacity_of(session, condition).error;
    return settings_compares(settings, condition, settings_decides_by(settings))
               ? metric_worst_error(session, condition)
               : decide_error(session);
}

static json_t *conditions_json(struct session *session, enum stop_reason stop)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++) {
        const struct condition *condition = &session->conditions[i];
        // The largest probability of something that so many runs may all have missed, with what is
        // left of the confidence: (1 - p)^n = 1 - confidence.
        const double unseen = condition->runs > 0
                                  ? 1 - pow(1 - settings->confidence, 1 / (double)condition->runs)
                                  : NAN;
        json_t *kinds = json_object();
        for (enum failure kind = FAILURE_NONE + 1; kind < FAILURES; kind++)
            json_object_set_new(kinds, failure_names[kind],
                                json_integer((json_int_t)condition->failures[kind]));
        json_t *object = json_pack(
            "{s:s, s:i, s:i, s:o, s:o, s:b, s:s, s:I, s:o, s:I, s:s?, s:s?}", "name",
            settings->conditions[i], "runs", (int)condition->runs, "discarded",
            (int)(condition->seen - condition->runs), "unseen", json_figure(unseen), "load",
            loads_json(condition), "converged", deciding_error(session, i) <= settings->error,
            "stop_reason", stop_names[stop], "failed", (json_int_t)session_failed(session, i),
            "failures", kinds, "censored", (json_int_t)condition->censored, "variant",
            settings->variants > 1 ? settings->conditions[settings_variant(settings, i)] : NULL,
            "load_name", settings_load_name(settings, i));
        for (size_t m = 0; m < BASIC_METRICS; m++)
            json_object_set_new(object, settings->metrics.item[m].name, describe(session, i, m));
        json_object_set_new(object, "metrics", other_metrics(session, i));
        json_array_append_new(list, object);
    }
    return list;
}

// What the load leaves behind for the baseline; null where the runs are too few to see it.
static json_t *carry_over_json(struct session *session, size_t condition, size_t metric)
{
    const struct carry_over found = carry_over_estimate(session, condition, metric);
    if (isnan(found.p))
        return json_null();
    return json_pack("{s:o, s:[o, o], s:o, s:i, s:i}", "ratio", json_figure(found.ratio), "ci",
                     json_figure(found.low), json_figure(found.high), "p", json_figure(found.p),
                     "after", (int)found.after, "others", (int)found.others);
}

// What separated loaded runs from the next, and what was left out for it.
static json_t *washout_json(const struct session *session)
{
    const struct washout *asked = &session->settings->washout;
    size_t excluded = 0;
    for (size_t i = 0; i < session->count; i++)
        excluded += session->runs[i].block <= session->unwashed ? 1 : 0;
    return json_pack("{s:b, s:i, s:i, s:o, s:i, s:i}", "auto", asked->automatic, "runs",
                     (int)session->washed, "made_runs", (int)session->washout_runs, "pause_s",
                     asked->pause_s > 0 ? json_figure(asked->pause_s) : json_null(), "from_block",
                     (int)session->unwashed + 1, "excluded_runs", (int)excluded);
}

static json_t *slowdown(struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const struct metric_setting *what = &settings->metrics.item[of.metric];
    const struct interval ratio = metric_ratio(session, of);
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:i, s:b, s:b}", "condition",
        settings->conditions[of.condition], "metric", what->name, "statistic",
        statistic_names[settings->statistic], "requested", what->chosen, "ratio",
        json_figure(ratio.center), "constant", ratio.constant, "ci", json_interval(&ratio), "error",
        error_json(&ratio), "p", json_figure(significance_p(session, of)), "method",
        method_json(settings, of.against), "pairs", (int)session_pairs(session, of)->count,
        "simultaneous", settings_family(settings) > 1 && what->decides, "decides", what->decides);
    judgement_add(session, of, object);
    ratio_direction_add(what, &ratio, "alone", object);
    json_object_set_new(object, "reference", json_string(reference_name(settings, of)));
    ratio_record_add(session, of, object);
    json_object_set_new(object, "censored",
                        json_integer((json_int_t)session_censored(session, of)));
    if (settings_is_loaded(settings, (int)of.condition))
        json_object_set_new(object, "carry_over",
                            carry_over_json(session, of.condition, of.metric));
    return object;
}

static json_t *floors_json(struct session *session)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t m = 0; m < settings->metrics.count && settings_aa(settings) > 0; m++)
        if (metrics_reports(&settings->metrics, m))
            json_array_append_new(list,
                                  json_pack("{s:s, s:o}", "metric", settings->metrics.item[m].name,
                                            "floor", json_figure(metric_noise_floor(session, m))));
    return list;
}

json_t *summary_build(struct session *session)
{
    const struct settings *settings = session->settings;
    judgements_make(session);
    enum stop_reason stop = decide_stop(session);
    if (stop == STOP_NOT) // the records ended before the experiment did
        stop = STOP_INTERRUPTED;
    // How many runs were expected after the first blocks, and how many it took.
    json_t *forecast =
        session->forecast_runs == 0
            ? json_null()
            : json_pack("{s:i, s:i, s:i}", "after_runs", (int)session->forecast_after,
                        "expected_runs", (int)session->forecast_runs, "made_runs",
                        (int)session->count);
    json_t *summary = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "conditions", conditions_json(session, stop),
        "slowdowns", list_of(session, AGAINST_ALONE, slowdown), "warnings", warnings_of(session),
        "intervals",
        json_pack("{s:o, s:i, s:b, s:b}", "confidence", json_figure(settings->confidence), "family",
                  (int)settings_family(settings), "simultaneous", settings_family(settings) > 1,
                  "sequential", settings_is_sequential(settings)),
        "forecast", forecast, "comparisons", list_of(session, AGAINST_REFERENCE, comparison),
        "interactions", list_of(session, AGAINST_BOTH, interaction));
    if (settings->condition_count > 1)
        json_object_set_new(summary, "washout", washout_json(session));
    if (settings_aa(settings) > 0)
        json_object_set_new(summary, "noise_floor", floors_json(session));
    return summary;
}
