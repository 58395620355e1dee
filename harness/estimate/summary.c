#include "summary.h"

#include "decide.h"
#include "figures.h"

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
    struct interval mean = figure_location(session, condition, metric).interval;
    double variance = sample_variance(sample);
    return json_pack("{s:f, s:o, s:o, s:f, s:f, s:f, s:o, s:o}", "mean", sample->mean, "variance",
                     real_or_null(variance), "stddev", real_or_null(sqrt(variance)), "median",
                     sample_median(sample), "min", sample->sorted[0], "max",
                     sample->sorted[sample->count - 1], "ci", bounds(&mean), "error",
                     real_or_null(mean.error));
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
            list, json_pack("{s:s, s:s, s:o, s:o, s:f, s:f, s:i}", "name", sum->name, "unit",
                            sum->unit, "offered", mean_rate(sum->offered, sum->offered_runs),
                            "achieved", mean_rate(sum->achieved, sum->achieved_runs), "late",
                            sum->late, "dropped", sum->dropped, "runs", (int)sum->runs));
    }
    return list;
}

static json_t *conditions(struct session *session, enum stop_reason stop)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++) {
        const struct condition *condition = &session->conditions[i];
        json_t *object = json_pack(
            "{s:s, s:i, s:i, s:o, s:b, s:s}", "name", settings->conditions[i], "runs",
            (int)condition->runs, "discarded", (int)(condition->seen - condition->runs), "load",
            loads(condition), "converged", stop == STOP_ERROR, "stop_reason", stop_names[stop]);
        for (enum metric m = 0; m < METRICS; m++)
            json_object_set_new(object, metric_names[m], describe(session, i, m));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *slowdowns(struct session *session)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 1; i < settings->condition_count; i++)
        for (enum metric m = 0; m < METRICS; m++) {
            const struct pairs *pairs = &session->conditions[i].pairs[m];
            struct interval ratio = figure_ratio(session, i, m);
            if (pairs->count == 0 || !settings->metric[m])
                continue;
            json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:i}",
                                                  "condition", settings->conditions[i], "metric",
                                                  metric_names[m], "ratio",
                                                  real_or_null(ratio.center), "ci", bounds(&ratio),
                                                  "error", real_or_null(ratio.error), "method",
                                                  "paired-fieller", "pairs", (int)pairs->count));
        }
    return list;
}

json_t *summary_build(struct session *session)
{
    enum stop_reason stop = decide_stop(session);
    if (stop == STOP_NOT) // the records ended before the experiment did
        stop = STOP_INTERRUPTED;
    return json_pack("{s:o, s:o, s:[]}", "conditions", conditions(session, stop), "slowdowns",
                     slowdowns(session), "warnings");
}
