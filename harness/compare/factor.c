#include "factor.h"

#include "harness/stats/json.h"
#include "harness/stats/machine_factor.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

// A figure in logarithms, with its standard error.
struct estimate {
    double value, error, df;
};

struct pair {
    const struct factor *a, *b;
    double level;          // of each interval
    struct estimate cost;  // of B less that of A
    struct estimate slope; // by how much the target follows it, within the two; NAN: not known
};

static double reach(const struct estimate *estimate, double level)
{
    return gsl_cdf_tdist_Qinv((1 - level) / 2, estimate->df) * estimate->error;
}

static bool is_told(const struct estimate *estimate, double level)
{
    return fabs(estimate->value) > reach(estimate, level); // false for NAN
}

// B. L. Welch's difference of two means.
static struct estimate difference(const struct factor_level *a, const struct factor_level *b)
{
    const double va = a->error * a->error, vb = b->error * b->error, sum = va + vb;
    return (struct estimate){.value = b->mean - a->mean,
                             .error = sqrt(sum),
                             .df = sum > 0 ? sum * sum / (va * va / a->df + vb * vb / b->df) : 1};
}

// The slope of one side.
static struct estimate slope_of(const struct factor *factor, double confidence)
{
    const struct explained line = factor_explains(factor, confidence);
    const double df = line.n - 2;
    if (isnan(line.slope))
        return (struct estimate){NAN, NAN, NAN};
    return (struct estimate){
        .value = line.slope,
        .error =
            (line.slope_high - line.slope_low) / 2 / gsl_cdf_tdist_Qinv((1 - confidence) / 2, df),
        .df = df,
    };
}

// Of the two sides together, each with the weight of its precision.
static struct estimate together(const struct estimate *a, const struct estimate *b)
{
    if (isnan(a->value) || isnan(b->value))
        return isnan(a->value) ? *b : *a;
    const double wa = 1 / (a->error * a->error), wb = 1 / (b->error * b->error);
    return (struct estimate){.value = (wa * a->value + wb * b->value) / (wa + wb),
                             .error = 1 / sqrt(wa + wb),
                             .df = a->df + b->df};
}

static json_t *ratio_interval(const struct estimate *estimate, double level)
{
    const double half = reach(estimate, level);
    if (!isfinite(half))
        return json_null();
    return json_pack("[o, o]", json_figure(exp(estimate->value - half)),
                     json_figure(exp(estimate->value + half)));
}

// What follows from the difference, where it is one and the target follows it: the product of the
// two, whose variance is by the delta method. null: neither.
static json_t *expected_json(const struct pair *pair)
{
    if (!is_told(&pair->cost, pair->level) || !is_told(&pair->slope, pair->level) ||
        !(pair->slope.value > 0))
        return json_null();
    const struct estimate product = {
        .value = pair->cost.value * pair->slope.value,
        .error = hypot(pair->cost.value * pair->slope.error, pair->slope.value * pair->cost.error),
        .df = fmin(pair->cost.df, pair->slope.df)};
    const double half = reach(&pair->slope, pair->level);
    return json_pack("{s:o, s:[o, o], s:o, s:o}", "slope", json_figure(pair->slope.value),
                     "slope_ci", json_figure(pair->slope.value - half),
                     json_figure(pair->slope.value + half), "ratio",
                     json_figure(exp(product.value)), "ci", ratio_interval(&product, pair->level));
}

static const char *reason_of(const struct pair *pair)
{
    if (isnan(pair->cost.error))
        return "it takes two blocks with a probe on each side";
    if (!is_told(&pair->cost, pair->level))
        return "the two cannot be told apart by it";
    if (isnan(pair->slope.value))
        return "too few blocks to see whether the target follows it";
    if (!is_told(&pair->slope, pair->level) || !(pair->slope.value > 0))
        return "within each of the two the target does not visibly follow it";
    return NULL;
}

static json_t *reporter_json(const struct pair *pair)
{
    const bool known = isfinite(pair->cost.error);
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "name", pair->a->name, "unit",
        pair->a->unit, "a",
        json_figure(exp(factor_level(pair->a).mean * (pair->a->lower_is_worse ? -1 : 1))), "b",
        json_figure(exp(factor_level(pair->b).mean * (pair->b->lower_is_worse ? -1 : 1))), "ratio",
        json_figure(known ? exp(pair->cost.value) : NAN), "ci",
        known ? ratio_interval(&pair->cost, pair->level) : json_null(), "distinguishable",
        known ? json_boolean(is_told(&pair->cost, pair->level)) : json_null(), "expected",
        known ? expected_json(pair) : json_null(), "reason", reason_of(pair));
}

static size_t common(const struct factors *a, const struct factors *b)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        count += factors_find(b, a->factor[i].name) ? 1 : 0;
    return count;
}

static json_t *reporters_json(const struct factors *a, const struct factors *b, double confidence)
{
    json_t *list = json_array();
    const double level = 1 - (1 - confidence) / fmax((double)common(a, b), 1);
    for (size_t i = 0; i < a->count; i++) {
        struct pair pair = {.a = &a->factor[i], .b = factors_find(b, a->factor[i].name)};
        if (!pair.b || pair.a->count == 0 || pair.b->count == 0)
            continue;
        const struct factor_level one = factor_level(pair.a), other = factor_level(pair.b);
        const struct estimate slope = slope_of(pair.a, confidence),
                              its = slope_of(pair.b, confidence);
        pair.level = level;
        pair.cost = difference(&one, &other);
        // Another metric is no repetition of the slope.
        pair.slope = strcmp(a->metric, b->metric) == 0 ? together(&slope, &its) : slope;
        json_array_append_new(list, reporter_json(&pair));
    }
    return list;
}

static const char *side_reason(const struct factors *a, const struct factors *b)
{
    if (a->probes > 0 && b->probes > 0)
        return NULL;
    return a->probes > 0 ? "B was measured without a probe before each block"
                         : "A was measured without a probe before each block";
}

json_t *factor_compare(const struct side *a, const struct side *b, double confidence)
{
    struct factors one, other;
    json_t *json = json_null();
    const bool read_one = factors_read(&one, &a->session, &a->replay);
    const bool read_other = factors_read(&other, &b->session, &b->replay);
    if (read_one && read_other && one.probes + other.probes > 0)
        json = json_pack("{s:{s:i, s:i}, s:s, s:b, s:s?, s:o}", "probes", "a", (int)one.probes, "b",
                         (int)other.probes, "metric", one.metric, "corrected", false, "reason",
                         side_reason(&one, &other), "reporters",
                         reporters_json(&one, &other, confidence));
    factors_free(&one);
    factors_free(&other);
    return json;
}
