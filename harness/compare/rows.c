#include "rows.h"

#include "harness/stats/compare.h"
#include "harness/stats/direction.h"
#include "harness/stats/json.h"

#include "common/messages.h"

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
    return json_boolean((ratio->low > 1 || ratio->high < 1) && fabs(ratio->center - 1) > floor);
}

static const char *method_of(const struct comparison *comparison)
{
    return comparison->a->experiment.settings.statistic == STATISTIC_MEAN ? "welch-log-ratio"
                                                                          : "log-intervals";
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

static json_t *row(const struct comparison *comparison, struct critical *critical,
                   const char *condition, size_t index)
{
    const size_t metric = comparison->metric[index].a, its = comparison->metric[index].b;
    const size_t one = side_condition(comparison->a, condition);
    const size_t other = side_condition(comparison->b, condition);
    const struct metric_setting *setting = &comparison->a->experiment.settings.metrics.item[metric];
    const struct interval ratio =
        compare_ratio(critical, &(struct compared){&comparison->a->session, one, metric},
                      &(struct compared){&comparison->b->session, other, its});
    bool aa_one, aa_other;
    const double floor = hypot(side_floor(comparison->a, one, metric, &aa_one),
                               side_floor(comparison->b, other, its, &aa_other));
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:b, s:o, s:o}", "condition", condition, "metric",
        setting->name, "ratio", json_figure(ratio.center), "ci", json_interval(&ratio), "error",
        ratio.constant ? json_null() : json_figure(ratio.error), "method", method_of(comparison),
        "distinguishable", is_distinguishable(&ratio, aa_one && aa_other ? floor : 0),
        "simultaneous", comparison_family(comparison) > 1, "a",
        side_to_json(comparison->a, one, metric), "b", side_to_json(comparison->b, other, its));
    direction_to_json(setting, &ratio, "A", object);
    json_object_set_new(object, "verdict",
                        json_string(verdict_of(comparison, one, other, &ratio,
                                               json_object_get(object, "distinguishable"))));
    return object;
}

static size_t used_runs(const struct side *side, const char *condition)
{
    return side->session.conditions[side_condition(side, condition)].runs;
}

static void check_runs(const struct comparison *comparison, const json_t *conditions)
{
    const char *name = "";
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        name = json_string_value(json_array_get(conditions, i));
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
    for (size_t i = 0; i < json_array_size(conditions); i++)
        for (size_t m = 0; m < comparison->metric_count; m++)
            json_array_append_new(rows, row(comparison, &critical,
                                            json_string_value(json_array_get(conditions, i)), m));
    critical_free(&critical);
    return rows;
}
