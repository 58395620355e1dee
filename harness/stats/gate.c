#include "decide.h"

#include "json.h"
#include "metrics.h"

#include "common/record_json.h"

#include <math.h>
#include <string.h>

// Where the interval of a ratio that decides lies, for one metric, from --at-most. Where runs timed
// out, the ratio of the wall times is at most the true one: it may be above the limit, and is never
// known to be below. Where those of the reference did, it bounds nothing. Neither do other figures:
// of those one does not know what they were at the time-out.
static enum verdict gate_ratio(struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    const size_t reference = settings_reference(settings, of.condition, of.against);
    const bool censored = session_censored(session, of) > 0;
    if (censored && (session->conditions[reference].censored > 0 || of.metric != WALL_S))
        return VERDICT_UNDECIDED;
    const struct interval ratio = metric_ratio_of_records(session, of);
    if (ratio.low > settings->at_most)
        return VERDICT_ABOVE;
    return !censored && ratio.high <= settings->at_most ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

// Of several: above if one is, below if all are, undecided if there are none. Begin with zeros.
struct gate_sum {
    bool any, above, undecided;
};

static void gate_add(struct gate_sum *sum, enum verdict verdict)
{
    sum->any = true;
    sum->above = sum->above || verdict == VERDICT_ABOVE;
    sum->undecided = sum->undecided || verdict == VERDICT_UNDECIDED;
}

static enum verdict gate_of_all(const struct gate_sum *sum)
{
    if (sum->above)
        return VERDICT_ABOVE;
    return sum->any && !sum->undecided ? VERDICT_BELOW : VERDICT_UNDECIDED;
}

bool gate_decides(const struct settings *settings, size_t condition)
{
    return settings_compares(settings, condition, settings_decides_by(settings)) &&
           !(settings->aa && condition == settings_aa(settings));
}

enum verdict gate_verdict(struct session *session)
{
    const struct settings *settings = session->settings;
    struct gate_sum sum = {0};
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && metric_is_asked(session, i, m))
                gate_add(&sum, gate_ratio(session, settings_deciding(settings, i, m)));
    return gate_of_all(&sum);
}

enum relation gate_relation(struct session *session, struct ratio of)
{
    const struct interval ratio = metric_ratio(session, of);
    return relation_of(&ratio, session->settings->tolerance);
}

double gate_gap(const struct settings *settings, const struct interval *ratio)
{
    const double away = fabs(ratio->center - 1);
    const double of_limit =
        settings->at_most > 0 ? fabs(ratio->center - settings->at_most) : INFINITY;
    // Above the limit nothing else matters.
    if (!(settings->tolerance > 0) || (settings->at_most > 0 && ratio->center > settings->at_most))
        return of_limit;
    return fmin(of_limit, fmax(away, settings->tolerance - away));
}

bool gate_is_decided(struct session *session)
{
    const struct settings *settings = session->settings;
    const enum verdict verdict = settings->at_most > 0 ? gate_verdict(session) : VERDICT_BELOW;
    if (verdict != VERDICT_BELOW || !(settings->tolerance > 0))
        return verdict != VERDICT_UNDECIDED;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && metric_is_asked(session, i, m) &&
                gate_relation(session, settings_deciding(settings, i, m)) == RELATION_UNDECIDED)
                return false;
    return true;
}

// One experiment's verdicts in the making.
struct verdicts {
    struct session *session;
    const json_t *warnings;
    enum against against;
    json_t *ratios; // slowdowns, or comparisons of variants
};

static enum bias bias_of(const json_t *warning)
{
    const char *name = json_text_at(warning, "bias");
    for (enum bias bias = 0; name && bias < BIAS_NONE; bias++)
        if (strcmp(name, bias_names[bias]) == 0)
            return bias;
    return BIAS_NONE;
}

// Whether the warning is of that name, or of no single one.
static bool is_of(const json_t *warning, const char *member, const char *name)
{
    const char *own = json_text_at(warning, member);
    return !own || strcmp(own, name) == 0;
}

#define PAIRS_FOR_ALL 6 // so many on one side by chance: one in 32, for both sides

// Whether the ratio is on that side of the limit in each single pair: then it is, whatever it does
// from one to the next.
static bool holds_in_each_pair(const struct session *session, struct ratio of, enum verdict seen)
{
    const double limit = session->settings->at_most;
    const struct pairs *pairs = session_pairs(session, of);
    if (!(limit > 0))
        return false;
    for (size_t i = 0; i < pairs->count; i++)
        if ((pairs->y[i] > limit * pairs->x[i]) != (seen == VERDICT_ABOVE))
            return false;
    return pairs->count >= PAIRS_FOR_ALL;
}

// What the interval alone says. Where no limit was given, it is enough to know whether the ratio is
// better, worse or the same.
static enum verdict verdict_of_interval(struct session *session, struct ratio of)
{
    if (session->settings->at_most > 0)
        return gate_ratio(session, of);
    return gate_relation(session, of) == RELATION_UNDECIDED ? VERDICT_UNDECIDED : VERDICT_BELOW;
}

// Whether the warning is about the ratio's metric, in the condition or what it is compared with.
static bool is_about(const json_t *warning, const struct settings *settings, struct ratio of)
{
    const size_t reference = settings_reference(settings, of.condition, of.against);
    if (!is_of(warning, "metric", settings->metrics.item[of.metric].name))
        return false;
    return bias_is_of_all(bias_of(warning)) ||
           is_of(warning, "condition", settings->conditions[of.condition]) ||
           is_of(warning, "condition", settings->conditions[reference]);
}

// Whether what the interval of the ratio says holds in spite of that problem.
static bool holds_beside(const json_t *warning, const struct session *session, struct ratio of,
                         enum verdict seen)
{
    const enum bias bias = bias_of(warning);
    if (bias == BIAS_NONE || !is_about(warning, session->settings, of))
        return true;
    if (bias_beside(bias, seen, of.against == AGAINST_REFERENCE) != VERDICT_UNDECIDED)
        return true;
    return json_text_is(warning, "flag", "unsteady") && holds_in_each_pair(session, of, seen);
}

// `why`: the flags of the problems beside which it does not hold.
static enum verdict judge(const struct verdicts *verdicts, struct ratio of, json_t *why)
{
    const enum verdict seen = verdict_of_interval(verdicts->session, of);
    enum verdict verdict = seen;
    JSON_EACH (warning, verdicts->warnings) {
        if (holds_beside(warning, verdicts->session, of, seen))
            continue;
        verdict = VERDICT_UNDECIDED;
        json_add_once(why, json_object_get(warning, "flag"));
    }
    return verdict;
}

// Its slowdown or comparison in the summary.
static json_t *record_of(const struct verdicts *of, size_t condition, size_t metric)
{
    const struct settings *settings = of->session->settings;
    return json_ratio_of(of->ratios, settings->conditions[condition],
                         settings->metrics.item[metric].name);
}

static void set_verdict(json_t *ratio, const char *member, enum verdict verdict)
{
    json_object_set_new(ratio, member, json_string(verdict_names[verdict]));
}

static void judge_condition(const struct verdicts *of, size_t condition, struct gate_sum *sum,
                            json_t *why)
{
    const struct settings *settings = of->session->settings;
    struct gate_sum own = {0};
    for (size_t m = 0; m < settings->metrics.count; m++) {
        if (!metric_is_asked(of->session, condition, m))
            continue;
        json_t *ratio = record_of(of, condition, m), *reasons = json_array();
        const enum verdict verdict = judge(of, (struct ratio){condition, of->against, m}, reasons);
        gate_add(&own, verdict);
        if (settings->at_most > 0 || json_array_size(reasons) > 0)
            set_verdict(ratio, "gate", verdict);
        JSON_EACH (reason, reasons)
            json_add_once(why, reason);
        json_object_set_new(ratio, "why", reasons);
    }
    // Each slowdown says that of its condition, too; a comparison's verdict is another one.
    for (size_t m = 0; m < settings->metrics.count; m++)
        if (of->against == AGAINST_ALONE && metric_is_asked(of->session, condition, m))
            set_verdict(record_of(of, condition, m), "verdict", gate_of_all(&own));
    gate_add(sum, gate_of_all(&own));
}

// null: it was not given.
static json_t *json_positive(double value)
{
    return value > 0 ? json_figure(value) : json_null();
}

void verdicts_add(struct session *session, json_t *summary)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const struct verdicts of = {
        .session = session,
        .warnings = json_object_get(summary, "warnings"),
        .against = against,
        .ratios = json_object_get(summary, against == AGAINST_ALONE ? "slowdowns" : "comparisons"),
    };
    struct gate_sum sum = {0};
    if (!settings_has_gate(settings)) {
        json_object_set_new(summary, "gate", json_null());
        return;
    }
    json_t *why = json_array();
    for (size_t i = 0; i < settings->condition_count; i++)
        if (gate_decides(settings, i))
            judge_condition(&of, i, &sum, why);
    const enum verdict verdict = gate_of_all(&sum);
    const bool limited = settings->at_most > 0;
    const char *word = !limited && verdict == VERDICT_BELOW ? "decided" : verdict_names[verdict];
    json_object_set_new(summary, "gate",
                        json_pack("{s:o, s:o, s:s, s:o}", "at_most",
                                  json_positive(settings->at_most), "same_within",
                                  json_positive(settings->tolerance), "verdict", word, "why", why));
    if (limited) {
        json_object_set_new(summary, "at_most", json_figure(settings->at_most));
        set_verdict(summary, "verdict", verdict);
    }
}

const char *verdicts_word(const json_t *summary)
{
    const char *word = json_text_at(json_object_get(summary, "gate"), "verdict");
    return word ? word : json_text_or_empty(json_object_get(summary, "protection"), "verdict");
}

static const struct sample *sample_of(const struct compared *one)
{
    return &one->session->conditions[one->condition].metric[one->metric];
}

// The runs of the two share no block, so they are two independent samples: the
// ratio's interval is that of the difference of the log means, with
// B. L. Welch's degrees of freedom (Biometrika 34, 1947). The delta method
// gives the variance of a log mean; it is good where the mean is far from 0. Skewed
// means are wider on one side, as they are by themselves.
static struct interval of_means(struct critical *critical, const struct compared *a,
                                const struct compared *b)
{
    const struct sample *x = sample_of(a), *y = sample_of(b);
    double vx = metric_mean_variance(a->session, a->condition, a->metric) / (x->mean * x->mean);
    double vy = metric_mean_variance(b->session, b->condition, b->metric) / (y->mean * y->mean);
    double center = y->mean / x->mean, sum = vx + vy;
    if (!(sum > 0))
        return interval_constant(center);
    double df = sum * sum / (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    // The ratio is as far up as the one mean is up and the other down.
    const double t = critical_t(critical, df);
    const struct stretch sx = stretch_of(x, false, false), sy = stretch_of(y, false, false);
    const double down = t * hypot(sqrt(vy) * sy.low, sqrt(vx) * sx.high);
    const double up = t * hypot(sqrt(vy) * sy.high, sqrt(vx) * sx.low);
    return interval_between(center, center * exp(-down), center * exp(up));
}

// The interval of a side's own figure with the confidence of `critical`.
static struct interval figure_of(struct critical *critical, const struct compared *one)
{
    struct session *session = one->session;
    const struct critical own = session->critical;
    session->critical = *critical;
    const struct interval interval = metric_location(session, one->condition, one->metric).interval;
    *critical = session->critical; // with the quantiles that it has learnt
    session->critical = own;
    return interval;
}

// Of other statistics, from the two intervals, on the logarithms: each bound is as far
// away as the two errors that lead there are together (method of variance estimates
// recovery: G. Y. Zou and A. Donner, Statistics in Medicine 27 (2008) 1693-1702).
static struct interval of_intervals(const struct interval *a, const struct interval *b)
{
    if (!(a->low > 0) || !(b->low > 0) || !isfinite(a->high) || !isfinite(b->high))
        return interval_unbounded(NAN);
    const double center = b->center / a->center;
    if (a->constant && b->constant)
        return interval_constant(center);
    const double down = hypot(log(b->center / b->low), log(a->high / a->center));
    const double up = hypot(log(b->high / b->center), log(a->center / a->low));
    return interval_between(center, center * exp(-down), center * exp(up));
}

struct interval compare_ratio(struct critical *critical, const struct compared *a,
                              const struct compared *b)
{
    const enum statistic statistic = a->session->settings->statistic;
    if (a->session->settings->metrics.item[a->metric].higher_is_better) {
        const struct compared *swapped = a;
        a = b;
        b = swapped;
    }
    const struct sample *x = sample_of(a), *y = sample_of(b);
    if (x->count < 2 || y->count < 2 || !(x->mean > 0) || !(y->mean > 0) ||
        a->session->conditions[a->condition].censored > 0 ||
        b->session->conditions[b->condition].censored > 0 ||
        a->session->settings->statistic != b->session->settings->statistic)
        return interval_unbounded(NAN);
    if (statistic == STATISTIC_MEAN)
        return of_means(critical, a, b);
    const struct interval figure_a = figure_of(critical, a), figure_b = figure_of(critical, b);
    return of_intervals(&figure_a, &figure_b);
}
