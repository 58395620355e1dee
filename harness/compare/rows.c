// The figures of two sides: their ratio, whether it is one, and what holds among all of them.
#include "compare.h"

#include "common/exit_status.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "harness/stats/discovery.h"
#include "harness/stats/interval.h"
#include "harness/stats/json.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"
#include "harness/stats/side_by_side.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t comparison_family(const struct comparison *comparison)
{
    return comparison->metric_count;
}

double comparison_level(const struct comparison *comparison)
{
    return 1 - (1 - comparison->confidence) / (double)comparison_family(comparison);
}

// Away from 1 by its interval; with A/A runs of both also beyond their floors together.
// null: not known.
static json_t *is_distinguishable(const struct interval *ratio, double floor)
{
    if (isnan(ratio->center))
        return json_null();
    return json_boolean(interval_excludes_one(ratio) && fabs(ratio->center - 1) > floor);
}

// Which verdict the figures of the two allow. known: whether the ratio is another than 1; false
// and null as is_distinguishable has it.
static const char *verdict_of(const struct comparison *comparison, size_t one, size_t other,
                              const struct interval *ratio, const json_t *known)
{
    const struct side *a = comparison->a, *b = comparison->b;
    if (a->session.conditions[one].censored > 0 || b->session.conditions[other].censored > 0)
        return "timed-out";
    if (a->session.conditions[one].runs < 2 || b->session.conditions[other].runs < 2)
        return "too-few-runs";
    if (a->experiment.settings.statistic != b->experiment.settings.statistic)
        return "other-statistic";
    if (json_is_null(known))
        return "no-interval";
    return !json_is_true(known) ? "noise" : ratio->center > 1 ? "worse" : "better";
}

// The two figures of a row.
struct ends {
    struct compared a, b;
};

static struct interval ratio_at(const void *user, double p)
{
    const struct ends *ends = user;
    struct critical critical;
    critical_init(&critical, 1 - p);
    const struct interval ratio = compare_ratio(&critical, &ends->a, &ends->b);
    critical_free(&critical);
    return ratio;
}

static json_t *row(const struct comparison *comparison, struct critical *critical,
                   const char *condition, size_t index)
{
    const size_t metric = comparison->metric[index].a, its = comparison->metric[index].b;
    const size_t one = side_condition(comparison->a, condition);
    const size_t other = side_condition(comparison->b, condition);
    const struct metric_setting *setting = &comparison->a->experiment.settings.metrics.item[metric];
    const struct ends ends = {.a = {&comparison->a->session, one, metric},
                              .b = {&comparison->b->session, other, its}};
    const struct interval ratio = compare_ratio(critical, &ends.a, &ends.b);
    const bool of_means = comparison->a->experiment.settings.statistic == STATISTIC_MEAN;
    bool aa_one, aa_other;
    const double floor = hypot(side_floor(comparison->a, one, metric, &aa_one),
                               side_floor(comparison->b, other, its, &aa_other));
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:b, s:o, s:o}", "condition", condition, "metric",
        setting->name, "ratio", json_figure(ratio.center), "ci", json_interval(&ratio), "error",
        ratio.constant ? json_null() : json_figure(ratio.error), "p",
        json_figure(significance_of(ratio_at, &ends)), "method",
        of_means ? "welch-log-ratio" : "log-intervals", "distinguishable",
        is_distinguishable(&ratio, aa_one && aa_other ? floor : 0), "simultaneous",
        comparison_family(comparison) > 1, "a", side_to_json(comparison->a, one, metric), "b",
        side_to_json(comparison->b, other, its));
    ratio_direction_add(setting, &ratio, "A", object);
    json_object_set_new(object, "verdict",
                        json_string(verdict_of(comparison, one, other, &ratio,
                                               json_object_get(object, "distinguishable"))));
    return object;
}

// Of many ratios some look like a difference by chance: adds `q` and `survives` to rows with a p,
// and makes the verdict of those that do not hold among all, at that false discovery rate,
// "chance".
static void comparison_settle(json_t *rows, double rate)
{
    const size_t all = json_array_size(rows);
    OWNED json_t **judged = must(calloc(all + 1, sizeof *judged));
    OWNED double *p = must(calloc(all + 1, sizeof *p)), *q = must(calloc(all + 1, sizeof *q));
    size_t count = 0;
    for (size_t i = 0; i < all; i++) {
        json_t *row = json_array_get(rows, i);
        if (json_is_number(json_object_get(row, "p"))) {
            judged[count] = row;
            p[count++] = json_number_value(json_object_get(row, "p"));
        }
        json_object_set_new(row, "q", json_null());
        json_object_set_new(row, "survives", json_false());
    }
    discovery_rates(p, q, count);
    for (size_t i = 0; i < count; i++) {
        json_t *row = judged[i];
        const bool told = json_is_true(json_object_get(row, "distinguishable"));
        json_object_set_new(row, "q", json_figure(q[i]));
        json_object_set_new(row, "survives", json_boolean(told && q[i] <= rate));
        if (told && q[i] > rate)
            json_object_set_new(row, "verdict", json_string("chance"));
    }
}

static size_t used_runs(const struct side *side, const char *condition)
{
    return side->session.conditions[side_condition(side, condition)].runs;
}

static void check_runs(const struct comparison *comparison, const json_t *conditions)
{
    const char *name = "";
    JSON_EACH (condition, conditions) {
        name = json_string_value(condition);
        if (used_runs(comparison->a, name) >= 2 && used_runs(comparison->b, name) >= 2)
            return;
    }
    complain("no condition has two good runs on both sides (%s: %zu in A, %zu in B): measure more, "
             "or choose other folders",
             name, used_runs(comparison->a, name), used_runs(comparison->b, name));
    exit(1);
}

json_t *comparison_rows(const struct comparison *comparison, const json_t *conditions)
{
    struct critical critical;
    json_t *rows = json_array();
    check_runs(comparison, conditions);
    critical_init(&critical, comparison_level(comparison));
    JSON_EACH (condition, conditions)
        for (size_t m = 0; m < comparison->metric_count; m++)
            json_array_append_new(rows,
                                  row(comparison, &critical, json_string_value(condition), m));
    critical_free(&critical);
    comparison_settle(rows, 1 - comparison->confidence);
    return rows;
}

// ---- over several sessions

// The ratios of all sessions, and their logarithms.
struct ratios {
    json_t *list;
    struct sample logs;
};

// False: a session has no ratio.
static bool gather(struct ratios *ratios, const json_t *sessions, const json_t *row)
{
    JSON_EACH (session, sessions) {
        const json_t *rows = json_object_get(session, "comparisons");
        const json_t *its =
            json_ratio_of(rows, json_text_at(row, "condition"), json_text_at(row, "metric"));
        const json_t *ratio = json_object_get(its, "ratio");
        if (!json_is_number(ratio))
            return false;
        json_array_append(ratios->list, (json_t *)ratio);
        sample_add(&ratios->logs, log(json_number_value(ratio)));
    }
    return true;
}

static json_t *pair_json(double low, double high)
{
    return json_pack("[o, o]", json_figure(low), json_figure(high));
}

static json_t *row_over(const struct ratios *ratios, const json_t *row, double level)
{
    const double n = (double)ratios->logs.count, mean = ratios->logs.mean;
    const double error = sqrt(sample_variance(&ratios->logs) / n), t = fabs(mean) / error;
    const double reach = gsl_cdf_tdist_Qinv((1 - level) / 2, n - 1) * error;
    const bool told = fabs(mean) > reach;
    const int way = json_text_is(row, "better", "higher") ? -1 : 1;
    return json_pack("{s:O, s:O, s:O, s:O, s:O, s:o, s:o, s:o, s:o, s:o, s:b, s:s}", "condition",
                     json_object_get(row, "condition"), "metric", json_object_get(row, "metric"),
                     "unit", json_object_get(row, "unit"), "better", json_object_get(row, "better"),
                     "ratios", ratios->list, "ratio", json_figure(exp(mean)), "ci",
                     pair_json(exp(mean - reach), exp(mean + reach)), "of_reference",
                     json_figure(exp(way * mean)), "of_reference_ci",
                     pair_json(exp(way * mean - reach), exp(way * mean + reach)), "p",
                     error > 0 ? json_figure(2 * gsl_cdf_tdist_Q(t, n - 1)) : json_null(),
                     "distinguishable", told, "verdict",
                     !told      ? "noise"
                     : mean > 0 ? "worse"
                                : "better");
}

json_t *sessions_rows(const json_t *sessions)
{
    const json_t *first = json_array_get(sessions, 0),
                 *rows = json_object_get(first, "comparisons");
    const double level = json_number_value(json_object_get(first, "interval_level"));
    json_t *list = json_array();
    for (size_t i = 0; json_array_size(sessions) > 1 && i < json_array_size(rows); i++) {
        struct ratios ratios = {.list = json_array()};
        if (gather(&ratios, sessions, json_array_get(rows, i)))
            json_array_append_new(list, row_over(&ratios, json_array_get(rows, i), level));
        json_decref(ratios.list);
        sample_free(&ratios.logs);
    }
    comparison_settle(list, 1 - json_number_value(json_object_get(first, "confidence")));
    return list;
}

static const char *verdict_over(const json_t *rows, double at_most)
{
    const char *verdict = json_array_size(rows) > 0 ? "below" : "undecided";
    JSON_EACH (row, rows) {
        if (json_bound_at(row, 0) > at_most)
            return "above";
        if (!(json_bound_at(row, 1) <= at_most))
            verdict = "undecided";
    }
    return verdict;
}

json_t *sessions_gate(const json_t *rows, const json_t *sessions, double at_most)
{
    if (!(at_most > 0))
        return json_null();
    json_t *why = json_array();
    JSON_EACH (session, sessions)
        JSON_EACH (flag, json_object_get(session, "biased_by"))
            (void)json_add_once(why, flag);
    const bool once = json_array_size(sessions) < 2;
    const json_t *wanted = json_object_get(json_array_get(sessions, 0), "comparisons");
    const bool lacking = json_array_size(rows) < json_array_size(wanted);
    const char *verdict =
        once || lacking || json_array_size(why) > 0 ? "undecided" : verdict_over(rows, at_most);
    if (once)
        json_array_append_new(why, json_string("one-session"));
    return json_pack("{s:o, s:s, s:o}", "at_most", json_figure(at_most), "verdict", verdict, "why",
                     why);
}

int sessions_exit(const json_t *gate)
{
    const char *verdict = json_text_at(gate, "verdict");
    if (!verdict || strcmp(verdict, "below") == 0)
        return 0;
    return strcmp(verdict, "above") == 0 ? EXIT_ABOVE : EXIT_UNDECIDED;
}
