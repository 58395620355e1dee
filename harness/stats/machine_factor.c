#include "machine_factor.h"

#include "dependence.h"
#include "json.h"
#include "messages.h"

#include "common/record_json.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A drift is worth a note from here on, and where chance makes one in a hundred experiments.
static const double much = 0.1, drift_level = 0.01;
static const double prior = 0.1; // that neighbouring readings resemble each other
static const double mad_to_sd = 1.4826;

// ---- reading ----

static double cost_of(const struct factor *factor, double value)
{
    if (!(value > 0))
        return NAN;
    return factor->lower_is_worse ? -log(value) : log(value);
}

static struct factor *add_factor(struct factors *factors, const json_t *reading)
{
    struct factor *list = realloc(factors->factor, (factors->count + 1) * sizeof *list);
    if (!list)
        return NULL;
    factors->factor = list;
    list[factors->count] = (struct factor){
        .name = json_text_or_empty(reading, "name"),
        .unit = json_text_or_empty(reading, "unit"),
        .lower_is_worse = strcmp(json_text_or_empty(reading, "worse"), "lower") == 0};
    return &list[factors->count++];
}

// Room for as many as there may be probes. False if memory ran out.
static bool reserve(struct factor *factor, size_t most)
{
    if (factor->value)
        return true;
    factor->value = calloc(most, sizeof *factor->value);
    factor->cost = calloc(most, sizeof *factor->cost);
    factor->target = calloc(most, sizeof *factor->target);
    factor->probe = calloc(most, sizeof *factor->probe);
    return factor->value && factor->cost && factor->target && factor->probe;
}

static bool take_reading(struct factors *factors, const json_t *reading, size_t most)
{
    const char *name = json_text_or_empty(reading, "name");
    struct factor *factor = (struct factor *)factors_find(factors, name);
    if (!factor)
        factor = add_factor(factors, reading);
    if (!factor || !reserve(factor, most))
        return false;
    const double value = judge_number(reading, "value"), cost = cost_of(factor, value);
    const bool again = factor->count > 0 && factor->probe[factor->count - 1] == factors->probes;
    if (isnan(cost) || again) // a probe has one reading of each
        return true;
    factor->probe[factor->count] = factors->probes;
    factor->value[factor->count] = value;
    factor->cost[factor->count++] = cost;
    return true;
}

static bool take_probe(struct factors *factors, const json_t *probe, size_t most)
{
    const json_t *list = json_object_get(probe, "reporters");
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = take_reading(factors, json_array_get(list, i), most);
    factors->probes++;
    return good;
}

static size_t metric_that_decides(const struct settings *settings)
{
    for (size_t m = 0; m < settings->metrics.count; m++)
        if (settings->metrics.item[m].decides)
            return m;
    return WALL_S;
}

// What the baseline's run took, as a logarithm that is larger where it is worse; NAN: it does not
// count.
static double target_of(const struct session *session, const struct observation *run, size_t metric)
{
    const double value = run->value[metric];
    if (run->condition != 0 || !session_uses(session, run) || run->failure != FAILURE_NONE ||
        settings_has_capacity(session->settings) || !(value > 0))
        return NAN;
    return session->settings->metrics.item[metric].higher_is_better ? -log(value) : log(value);
}

// Sums of the target's logarithms, and how many, of the runs from each probe to the next.
struct between {
    double *sum, *count;
};

static bool take_runs(struct factors *factors, const struct session *session,
                      const struct replay *replay, size_t metric, struct between *between)
{
    bool good = true;
    for (size_t i = 0; good && i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const json_t *probe = json_object_get(replay->used[i], "probe");
        if (run->block <= session_left_out(session))
            continue;
        if (json_is_object(probe))
            good = take_probe(factors, probe, session->count);
        const double target = target_of(session, run, metric);
        if (factors->probes == 0 || isnan(target))
            continue;
        between->sum[factors->probes - 1] += target;
        between->count[factors->probes - 1]++;
    }
    return good;
}

bool factors_read(struct factors *factors, const struct session *session,
                  const struct replay *replay)
{
    const size_t metric = metric_that_decides(session->settings);
    struct between between = {calloc(session->count + 1, sizeof(double)),
                              calloc(session->count + 1, sizeof(double))};
    *factors = (struct factors){.metric = session->settings->metrics.item[metric].name};
    const bool good =
        between.sum && between.count && take_runs(factors, session, replay, metric, &between);
    for (size_t i = 0; good && i < factors->count; i++) {
        struct factor *factor = &factors->factor[i];
        for (size_t k = 0; k < factor->count; k++) {
            const size_t probe = factor->probe[k];
            factor->target[k] =
                between.count[probe] > 0 ? between.sum[probe] / between.count[probe] : NAN;
        }
    }
    free(between.sum);
    free(between.count);
    return good;
}

void factors_free(struct factors *factors)
{
    for (size_t i = 0; i < factors->count; i++) {
        free(factors->factor[i].probe);
        free(factors->factor[i].value);
        free(factors->factor[i].cost);
        free(factors->factor[i].target);
    }
    free(factors->factor);
    *factors = (struct factors){0};
}

const struct factor *factors_find(const struct factors *factors, const char *name)
{
    for (size_t i = 0; i < factors->count; i++)
        if (strcmp(factors->factor[i].name, name) == 0)
            return &factors->factor[i];
    return NULL;
}

// ---- figures ----

struct factor_level factor_level(const struct factor *factor)
{
    struct factor_level level = {NAN, NAN, NAN};
    const size_t n = factor->count;
    double squares = 0;
    if (n == 0)
        return level;
    level.mean = gsl_stats_mean(factor->cost, 1, n);
    for (size_t i = 0; i < n; i++)
        squares += (factor->cost[i] - level.mean) * (factor->cost[i] - level.mean);
    if (n < 2)
        return level;
    const struct dependence seen = dependence_see(factor->cost, n, level.mean, squares, 1);
    const double widened = dependence_factor(&seen, prior, n, 1);
    level.error = sqrt(squares / (double)(n - 1) / (double)n * widened);
    level.df = fmax((double)n / widened - 1, 1);
    return level;
}

struct explained factor_explains(const struct factor *factor, double confidence)
{
    double *x = calloc(2 * factor->count + 1, sizeof *x), *y = x ? x + factor->count : NULL;
    size_t n = 0;
    for (size_t i = 0; x && i < factor->count; i++) {
        if (isnan(factor->target[i]))
            continue;
        x[n] = factor->cost[i];
        y[n++] = factor->target[i];
    }
    const struct explained result =
        explain(x, y, x && n >= EXPLAIN_LEAST ? n : 0, confidence, true);
    free(x);
    return result;
}

static double median_of(const double *value, size_t n, double *scratch)
{
    memcpy(scratch, value, n * sizeof *value);
    gsl_sort(scratch, 1, n);
    return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

// Standard deviation of the costs, by the median of their distances from the median.
static double robust_sd(const struct factor *factor, double *scratch)
{
    const double middle = median_of(factor->cost, factor->count, scratch);
    for (size_t i = 0; i < factor->count; i++)
        scratch[i] = fabs(factor->cost[i] - middle);
    gsl_sort(scratch, 1, factor->count);
    return mad_to_sd * gsl_stats_median_from_sorted_data(scratch, 1, factor->count);
}

// ---- json ----

static json_t *bounds(double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? json_pack("[o, o]", json_figure(low), json_figure(high))
               : json_null();
}

static json_t *drift_json(const struct drift *drift)
{
    if (isnan(drift->change))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "change", json_figure(drift->change), "ci",
                     bounds(drift->low, drift->high), "p", json_figure(drift->p));
}

static json_t *explained_json(const struct explained *explained, double level)
{
    if (isnan(explained->r2))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "r2", json_figure(explained->r2),
                     "adjusted", json_figure(explained->adjusted), "ci",
                     bounds(explained->low, explained->high), "n_effective",
                     json_figure(explained->n), "slope", json_figure(explained->slope), "slope_ci",
                     bounds(explained->slope_low, explained->slope_high), "p",
                     json_figure(explained->p), "told", explained->p < level);
}

static size_t with_target(const struct factor *factor)
{
    size_t n = 0;
    for (size_t i = 0; i < factor->count; i++)
        n += isnan(factor->target[i]) ? 0 : 1;
    return n;
}

// Why there is no R2; NULL: there is one.
static json_t *reason_of(const struct factor *factor, const struct explained *explained)
{
    if (!isnan(explained->r2))
        return json_null();
    const size_t n = with_target(factor);
    if (n < EXPLAIN_LEAST)
        return json_sprintf("%zu block%s with a probe: it takes %d", n, n == 1 ? "" : "s",
                            EXPLAIN_LEAST);
    return json_string("neighbouring blocks are too much alike, or nothing varied");
}

static json_t *factor_json(const struct factors *factors, const struct factor *factor,
                           double confidence, const struct drift *drift)
{
    double *scratch = calloc(factor->count + 1, sizeof *scratch);
    if (!scratch || factor->count == 0) {
        free(scratch);
        return json_null();
    }
    const struct factor_level level = factor_level(factor);
    const struct explained explained = factor_explains(factor, confidence);
    const double told = (1 - confidence) / (double)factors->count;
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:i, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o}", "name", factor->name,
        "unit", factor->unit, "worse", factor->lower_is_worse ? "lower" : "higher", "n",
        (int)factor->count, "median", json_figure(median_of(factor->value, factor->count, scratch)),
        "spread", json_figure(robust_sd(factor, scratch)), "cost", "mean", json_figure(level.mean),
        "error", json_figure(level.error), "df", json_figure(level.df), "drift", drift_json(drift),
        "explains", explained_json(&explained, told), "reason", reason_of(factor, &explained));
    free(scratch);
    return json;
}

static void warn_of_drift(const struct factor *factor, const struct drift *drift, size_t tests,
                          bool alone, json_t *warnings)
{
    if (!(drift->p < drift_level / (double)tests) || !(fabs(drift->change) > log1p(much)))
        return;
    struct message message = {.flag = FLAG_MACHINE_CHANGED};
    message_detail(&message, "what", "%s", factor->name);
    message_detail(&message, "change", "%.3g %%", 100 * expm1(fabs(drift->change)));
    message_detail(&message, "better", drift->change > 0 ? "worse" : "better");
    message_detail(&message, "interval", "[%.3g, %.3g]",
                   100 * expm1(drift->change > 0 ? drift->low : -drift->high),
                   100 * expm1(drift->change > 0 ? drift->high : -drift->low));
    message_detail(&message, "probes", "%zu", factor->count);
    json_array_append_new(warnings, message_finish(&message, alone));
}

json_t *factors_to_json(const struct factors *factors, const struct session *session,
                        json_t *warnings)
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    if (factors->probes == 0) {
        json_decref(list);
        return json_null();
    }
    for (size_t i = 0; i < factors->count; i++) {
        const struct factor *factor = &factors->factor[i];
        const struct drift drift = explain_drift(factor->cost, factor->count, settings->confidence);
        json_t *one = factor_json(factors, factor, settings->confidence, &drift);
        if (json_is_object(one))
            json_array_append(list, one);
        json_decref(one);
        warn_of_drift(factor, &drift, factors->count, settings->condition_count == 1, warnings);
    }
    return json_pack("{s:i, s:s, s:s, s:b, s:o}", "probes", (int)factors->probes, "condition",
                     settings->conditions[0], "metric", factors->metric, "corrected", false,
                     "reporters", list);
}
