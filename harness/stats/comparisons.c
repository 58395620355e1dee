#include "comparisons.h"

#include "answer.h"
#include "direction.h"
#include "gate.h"
#include "json.h"
#include "metrics.h"
#include "significance.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

const char *comparisons_method(const struct settings *settings, enum against against)
{
    static const struct {
        const char *once, *looks;
    } names[][2] = {
        {{"paired-fieller", "paired-fieller-looks"}, {"log-delta", "log-delta-looks"}},
        {{"paired-trimmed", "paired-trimmed-looks"},
         {"log-delta-trimmed", "log-delta-trimmed-looks"}},
        {{"paired-quantiles", "paired-quantiles-looks"},
         {"combined-quantiles", "combined-quantiles-looks"}},
        {{"signed-ranks", "signed-ranks-looks"}, {"signed-ranks", "signed-ranks-looks"}},
    };
    const size_t statistic = settings->statistic == STATISTIC_MEAN      ? 0
                             : settings->statistic == STATISTIC_TRIMMED ? 1
                             : settings->statistic == STATISTIC_TYPICAL ? 3
                                                                        : 2;
    const size_t kind = against == AGAINST_BOTH ? 1 : 0;
    return settings_has_gate(settings) ? names[statistic][kind].looks : names[statistic][kind].once;
}

static struct words_of names_of(const struct settings *settings, size_t condition, size_t metric)
{
    return (struct words_of){.metric = &settings->metrics.item[metric],
                             .variant = settings->conditions[settings_variant(settings, condition)],
                             .reference = settings->conditions[0],
                             .load = settings_load_name(settings, condition)};
}

static json_t *text_json(char *text)
{
    json_t *json = text ? json_string(text) : json_null();
    free(text);
    return json;
}

// What both kinds have in common.
static json_t *ratio_json(struct session *session, size_t condition, enum against against,
                          size_t metric, const struct interval *ratio)
{
    const struct settings *settings = session->settings;
    const struct metric_setting *what = &settings->metrics.item[metric];
    const struct words_of names = names_of(settings, condition, metric);
    const size_t censored = session_censored(session, condition, against);
    // An interaction decides nothing, and has no part of the shared error rate.
    const bool shares = what->decides && against != AGAINST_BOTH && settings_family(settings) > 1;
    json_t *json = json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:b, s:b, s:o, s:b, s:o, s:o, s:o, s:s, s:o, s:b, s:I}",
        "variant", names.variant, "reference_variant", names.reference, "load", names.load,
        "metric", what->name, "statistic", statistic_names[settings->statistic], "requested",
        what->chosen, "decides", what->decides, "ratio", json_figure(ratio->center), "constant",
        ratio->constant, "ci", json_interval(ratio), "error",
        ratio->constant ? json_null() : json_figure(ratio->error), "p",
        json_figure(significance_p(session, condition, against, metric)), "method",
        comparisons_method(settings, against), "distinguishable",
        metric_is_judged(session, condition, against, metric)
            ? json_boolean(metric_is_distinguishable(session, condition, against, metric))
            : json_null(),
        "simultaneous", shares, "censored", (json_int_t)censored);
    direction_to_json(what, ratio, names.reference, json); // the text is another one
    return json;
}

static json_t *comparison(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const enum against against = AGAINST_REFERENCE;
    const struct words_of names = names_of(settings, condition, metric);
    const struct interval ratio = metric_ratio(session, condition, against, metric);
    const enum relation relation = gate_relation(session, condition, against, metric);
    json_t *json = ratio_json(session, condition, against, metric, &ratio);
    json_object_set_new(json, "condition", json_string(settings->conditions[condition]));
    json_object_set_new(
        json, "reference",
        json_string(settings->conditions[settings_reference(settings, condition, against)]));
    json_object_set_new(
        json, "pairs",
        json_integer((json_int_t)session->conditions[condition].pairs[against][metric].count));
    json_object_set_new(
        json, "verdict",
        json_string(relation_name(relation, words_is_time(&settings->metrics.item[metric]))));
    answer_add(session, condition, against, metric, json);
    json_object_set_new(json, "gate", json_null()); // unless it is judged
    json_object_set_new(json, "text",
                        text_json(words_comparison(&names, &ratio, settings->same_within)));
    return json;
}

static json_t *interaction(struct session *session, size_t condition, size_t metric)
{
    const struct words_of names = names_of(session->settings, condition, metric);
    const struct interval ratio = metric_ratio(session, condition, AGAINST_BOTH, metric);
    json_t *json = ratio_json(session, condition, AGAINST_BOTH, metric, &ratio);
    json_object_set_new(json, "text", text_json(words_interaction(&names, &ratio)));
    return json;
}

static json_t *list_of(struct session *session, enum against against,
                       json_t *(*one)(struct session *session, size_t condition, size_t metric))
{
    const struct settings *settings = session->settings;
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && metrics_reports(&settings->metrics, m) &&
                session->conditions[i].pairs[AGAINST_REFERENCE][m].count > 0)
                json_array_append_new(list, one(session, i, m));
    return list;
}

json_t *comparisons_list(struct session *session)
{
    return list_of(session, AGAINST_REFERENCE, comparison);
}

json_t *comparisons_interactions(struct session *session)
{
    return list_of(session, AGAINST_BOTH, interaction);
}
