#include "summary.h"

#include "decide.h"
#include "diagnose.h"
#include "figures.h"
#include "gate.h"

#include <math.h>

// JSON has no infinities: what is not known is null.
static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *bounds(const struct interval *interval)
{
    if (!isfinite(interval->low) || !isfinite(interval->high))
        return json_null();
    return json_pack("[f, f]", interval->low, interval->high);
}

static json_t *describe(struct session *session, size_t condition, enum metric metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    if (sample->count == 0)
        return json_null();
    struct location location = figure_location(session, condition, metric);
    double variance = sample_variance(sample);
    return json_pack("{s:f, s:o, s:o, s:f, s:f, s:f, s:s, s:f, s:i, s:o, s:o}", "mean",
                     sample->mean, "variance", real_or_null(variance), "stddev",
                     real_or_null(sqrt(variance)), "median", sample_median(sample), "min",
                     sample->sorted[0], "max", sample->sorted[sample->count - 1], "statistic",
                     location.set_aside > 0 ? "mean-without-outliers" : "mean", "center",
                     location.interval.center, "set_aside", (int)location.set_aside, "ci",
                     bounds(&location.interval), "error", real_or_null(location.interval.error));
}

static json_t *mean_rate(double sum, size_t runs)
{
    return runs > 0 ? json_real(sum / (double)runs) : json_null();
}

static json_t *loads(const struct condition *condition)
{
    json_t *list = json_array();
    for (size_t i = 0; i < condition->load_count; i++) {
        const struct load_sum *sum = &condition->loads[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:f, s:f, s:i}", "name", sum->name, "unit",
                            sum->unit, "offered", mean_rate(sum->offered, sum->offered_runs),
                            "achieved", mean_rate(sum->achieved, sum->achieved_runs), "cpu_s",
                            mean_rate(sum->cpu_s, sum->cpu_runs), "late", sum->late, "dropped",
                            sum->dropped, "runs", (int)sum->runs));
    }
    return list;
}

static bool has_converged(struct session *session, size_t condition, enum stop_reason stop)
{
    const struct settings *settings = session->settings;
    if (stop == STOP_ERROR)
        return true;
    // A capped experiment may have reached the error for one load of several.
    return condition > 0 && stop != STOP_FAILURE && decide_blocks(session) >= settings->min_runs &&
           figure_worst_error(session, condition) <= settings->error;
}

static json_t *conditions(struct session *session, enum stop_reason stop)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++) {
        const struct condition *condition = &session->conditions[i];
        json_t *object =
            json_pack("{s:s, s:i, s:i, s:o, s:b, s:s}", "name", settings->conditions[i], "runs",
                      (int)condition->runs, "discarded", (int)(condition->seen - condition->runs),
                      "load", loads(condition), "converged", has_converged(session, i, stop),
                      "stop_reason", stop_names[stop]);
        for (enum metric m = 0; m < METRICS; m++)
            json_object_set_new(object, metric_names[m], describe(session, i, m));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *slowdown(struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    struct interval ratio = figure_ratio(session, condition, metric);
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:s, s:i, s:b, s:b}", "condition",
        settings->conditions[condition], "metric", metric_names[metric], "ratio",
        real_or_null(ratio.center), "ci", bounds(&ratio), "error", real_or_null(ratio.error),
        "method", settings->at_most > 0 ? "paired-confidence-sequence" : "paired-fieller", "pairs",
        (int)session->conditions[condition].pairs[metric].count, "distinguishable",
        figure_is_distinguishable(session, condition, metric), "simultaneous",
        settings_family(settings) > 1);
    if (settings->at_most > 0 && condition != settings_aa(settings))
        json_object_set_new(object, "verdict",
                            json_string(verdict_names[gate_condition(session, condition)]));
    return object;
}

static json_t *slowdowns(struct session *session)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 1; i < settings->condition_count; i++)
        for (enum metric m = 0; m < METRICS; m++)
            if (settings->metric[m] && session->conditions[i].pairs[m].count > 0)
                json_array_append_new(list, slowdown(session, i, m));
    return list;
}

static json_t *floors(struct session *session)
{
    json_t *list = json_array();
    for (enum metric m = 0; m < METRICS && settings_aa(session->settings) > 0; m++)
        if (session->settings->metric[m])
            json_array_append_new(list, json_pack("{s:s, s:o}", "metric", metric_names[m], "floor",
                                                  real_or_null(figure_noise_floor(session, m))));
    return list;
}

static json_t *intervals(const struct settings *settings)
{
    return json_pack("{s:f, s:i, s:b, s:b}", "confidence", settings->confidence, "family",
                     (int)settings_family(settings), "simultaneous", settings_family(settings) > 1,
                     "sequential", settings_is_sequential(settings));
}

// How many runs were expected after the first blocks, and how many it took.
static json_t *forecast(const struct session *session)
{
    if (session->forecast_runs == 0)
        return json_null();
    return json_pack("{s:i, s:i, s:i}", "after_runs", (int)session->forecast_after, "expected_runs",
                     (int)session->forecast_runs, "made_runs", (int)session->count);
}

json_t *summary_build(struct session *session)
{
    const struct settings *settings = session->settings;
    enum stop_reason stop = decide_stop(session);
    if (stop == STOP_NOT) // the records ended before the experiment did
        stop = STOP_INTERRUPTED;
    json_t *summary =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "conditions", conditions(session, stop), "slowdowns",
                  slowdowns(session), "warnings", diagnose_warnings(session), "intervals",
                  intervals(settings), "forecast", forecast(session));
    if (settings_aa(settings) > 0)
        json_object_set_new(summary, "noise_floor", floors(session));
    if (settings->at_most > 0) {
        json_object_set_new(summary, "at_most", json_real(settings->at_most));
        json_object_set_new(summary, "verdict", json_string(verdict_names[gate_verdict(session)]));
    }
    return summary;
}
