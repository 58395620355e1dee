// Writes into a summary what the gate says, beside the problems that bias what it judges.
#include "verdicts.h"

#include "gate.h"
#include "interval.h"
#include "json.h"
#include "metrics.h"
#include "relation.h"
#include "session.h"
#include "verdict.h"

#include "harness/record/settings.h"

#include "common/record_json.h"

#include <string.h>

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
