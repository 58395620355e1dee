#include "verdicts.h"

#include "gate.h"
#include "json.h"

#include <string.h>

// One experiment's verdicts in the making.
struct judgement {
    struct session *session;
    const json_t *warnings;
    enum against against;
    json_t *ratios; // slowdowns, or comparisons of variants
};

static enum bias bias_of(const json_t *warning)
{
    const char *name = json_string_value(json_object_get(warning, "bias"));
    for (enum bias bias = 0; name && bias < BIAS_NONE; bias++)
        if (strcmp(name, bias_names[bias]) == 0)
            return bias;
    return BIAS_NONE;
}

// Whether the warning is of that name, or of no single one.
static bool is_of(const json_t *warning, const char *member, const char *name)
{
    const char *own = json_string_value(json_object_get(warning, member));
    return !own || strcmp(own, name) == 0;
}

static bool is_about(const struct judgement *of, const json_t *warning, size_t condition,
                     size_t metric)
{
    const struct settings *settings = of->session->settings;
    const size_t reference = settings_reference(settings, condition, of->against);
    return is_of(warning, "metric", settings->metrics.item[metric].name) &&
           (bias_is_of_all(bias_of(warning)) ||
            is_of(warning, "condition", settings->conditions[condition]) ||
            is_of(warning, "condition", settings->conditions[reference]));
}

static void add_once(json_t *list, json_t *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), text))
            return;
    json_array_append(list, text);
}

// By the interval alone. To know whether it is better, worse or the same is enough where no
// limit was given.
static enum verdict by_interval(const struct judgement *of, size_t condition, size_t metric)
{
    if (of->session->settings->at_most > 0)
        return gate_ratio(of->session, condition, metric);
    return gate_relation(of->session, condition, of->against, metric) == RELATION_UNDECIDED
               ? VERDICT_UNDECIDED
               : VERDICT_BELOW;
}

// `why`: the flags of the problems beside which it does not hold.
static enum verdict judge(const struct judgement *of, size_t condition, size_t metric, json_t *why)
{
    const enum verdict seen = by_interval(of, condition, metric);
    enum verdict verdict = seen;
    for (size_t i = 0; i < json_array_size(of->warnings); i++) {
        const json_t *warning = json_array_get(of->warnings, i);
        const enum bias bias = bias_of(warning);
        if (bias == BIAS_NONE || !is_about(of, warning, condition, metric) ||
            bias_beside(bias, seen, of->against == AGAINST_REFERENCE) != VERDICT_UNDECIDED)
            continue;
        verdict = VERDICT_UNDECIDED;
        add_once(why, json_object_get(warning, "flag"));
    }
    return verdict;
}

static json_t *find(const struct judgement *of, size_t condition, size_t metric)
{
    const struct settings *settings = of->session->settings;
    for (size_t i = 0; i < json_array_size(of->ratios); i++) {
        json_t *ratio = json_array_get(of->ratios, i);
        if (is_of(ratio, "condition", settings->conditions[condition]) &&
            is_of(ratio, "metric", settings->metrics.item[metric].name))
            return ratio;
    }
    return NULL;
}

static void set_verdict(json_t *ratio, const char *member, enum verdict verdict)
{
    json_object_set_new(ratio, member, json_string(verdict_names[verdict]));
}

static void judge_condition(const struct judgement *of, size_t condition, struct gate_sum *sum,
                            json_t *why)
{
    const struct settings *settings = of->session->settings;
    struct gate_sum own = {0};
    for (size_t m = 0; m < settings->metrics.count; m++) {
        if (!gate_judges(of->session, condition, m))
            continue;
        json_t *ratio = find(of, condition, m), *reasons = json_array();
        const enum verdict verdict = judge(of, condition, m, reasons);
        gate_add(&own, verdict);
        if (settings->at_most > 0 || json_array_size(reasons) > 0)
            set_verdict(ratio, "gate", verdict);
        for (size_t i = 0; i < json_array_size(reasons); i++)
            add_once(why, json_array_get(reasons, i));
        json_object_set_new(ratio, "why", reasons);
    }
    // Each slowdown says that of its condition, too; a comparison's verdict is another one.
    for (size_t m = 0; m < settings->metrics.count; m++)
        if (of->against == AGAINST_ALONE && gate_judges(of->session, condition, m))
            set_verdict(find(of, condition, m), "verdict", gate_of_all(&own));
    gate_add(sum, gate_of_all(&own));
}

static json_t *limit(double value)
{
    return value > 0 ? json_figure(value) : json_null();
}

void verdicts_add(struct session *session, json_t *summary)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    const struct judgement of = {
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
    json_object_set_new(
        summary, "gate",
        json_pack("{s:o, s:o, s:s, s:o}", "at_most", limit(settings->at_most), "same_within",
                  limit(settings->same_within), "verdict",
                  !limited && verdict == VERDICT_BELOW ? "decided" : verdict_names[verdict], "why",
                  why));
    if (limited) {
        json_object_set_new(summary, "at_most", json_figure(settings->at_most));
        set_verdict(summary, "verdict", verdict);
    }
}

const char *verdicts_word(const json_t *summary)
{
    const char *word =
        json_string_value(json_object_get(json_object_get(summary, "gate"), "verdict"));
    return word ? word : "";
}
