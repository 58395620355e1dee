// The judgement of each ratio, in the family of all that the experiment shows.
#include "judgement.h"

#include "discovery.h"
#include "json.h"
#include "metrics.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The ratios of a session that are one family, and their p values.
struct ratios {
    struct ratio *of;
    double *p;
    size_t count;
};

static struct look *look_of_ratio(struct session *session, struct ratio of)
{
    return &session->conditions[of.condition].look[of.against][of.metric];
}

// Whether the ratio is one that a result has.
static bool is_there(const struct session *session, struct ratio of)
{
    const struct settings *settings = session->settings;
    return settings_compares(settings, of.condition, of.against) &&
           of.condition != settings_aa(settings) &&
           metrics_reports(&settings->metrics, of.metric) &&
           session->conditions[of.condition].pairs[of.against][of.metric].count > 0;
}

// Adds the ratios of one metric.
static void gather(struct session *session, size_t metric, struct ratios *ratios)
{
    for (size_t i = 0; i < session->settings->condition_count; i++)
        for (enum against against = AGAINST_ALONE; against < PAIRINGS; against++) {
            const struct ratio of = {i, against, metric};
            const double p = is_there(session, of) ? significance_p(session, of) : NAN;
            if (isnan(p))
                continue;
            ratios->of[ratios->count] = of;
            ratios->p[ratios->count++] = p;
        }
}

static void settle(struct session *session, struct ratios *ratios)
{
    OWNED double *q = must(calloc(ratios->count + 1, sizeof *q));
    discovery_rates(ratios->p, q, ratios->count);
    for (size_t i = 0; i < ratios->count; i++) {
        struct look *look = look_of_ratio(session, ratios->of[i]);
        look->q = q[i];
        look->family = ratios->count;
    }
    ratios->count = 0;
}

void judgements_make(struct session *session)
{
    const struct metric_settings *metrics = &session->settings->metrics;
    const size_t most = session->settings->condition_count * PAIRINGS * metrics->count;
    OWNED struct ratio *of = must(calloc(most + 1, sizeof *of));
    OWNED double *p = must(calloc(most + 1, sizeof *p));
    struct ratios ratios = {.of = of, .p = p};
    for (size_t m = 0; m < metrics->count; m++)
        if (metrics->item[m].decides)
            gather(session, m, &ratios);
    settle(session, &ratios);
    for (size_t m = 0; m < metrics->count; m++)
        if (!metrics->item[m].decides) {
            gather(session, m, &ratios);
            settle(session, &ratios);
        }
}

// Whether the test sees it, also among all that are looked at together.
static bool is_seen(struct session *session, struct ratio of)
{
    if (!metric_is_distinguishable(session, of))
        return false;
    // What decides nothing, and the baseline beside itself, is no member of a family.
    if (of.against == AGAINST_BOTH || of.condition == settings_aa(session->settings))
        return true;
    const struct look *look = look_of_ratio(session, of);
    return look->family < 2 || look->q <= 1 - session->settings->confidence;
}

enum effect judgement_effect(struct session *session, struct ratio of)
{
    const struct interval ratio = metric_ratio(session, of);
    return effect_of(&ratio, metric_is_judged(session, of) && is_seen(session, of));
}

// What it did of what was due; a load that was due nothing although it has a rate did none of it.
static double share_of(const struct delivery *delivery)
{
    return delivery->due > 0 ? delivery->done / delivery->due : delivery->asked ? 0 : NAN;
}

// The load of a condition that came least to what it was due; null: none has a rate.
static json_t *load_json(const struct condition *condition)
{
    const struct load_sum *least = NULL;
    for (size_t i = 0; i < condition->load_count; i++) {
        const struct load_sum *load = &condition->loads[i];
        const bool is_known = load->delivery.known && !isnan(share_of(&load->delivery));
        if (is_known && (!least || share_of(&load->delivery) < share_of(&least->delivery)))
            least = load;
    }
    if (!least)
        return json_null();
    return json_pack("{s:s, s:o, s:b}", "name", least->name, "share",
                     json_figure(share_of(&least->delivery)), "arrived",
                     !delivery_is_short(&least->delivery));
}

void judgement_add(struct session *session, struct ratio of, json_t *record)
{
    const struct interval ratio = metric_ratio(session, of);
    const enum effect effect = judgement_effect(session, of);
    const bool single = of.against == AGAINST_BOTH;
    const struct look *look = single ? NULL : look_of_ratio(session, of);
    const double pairs = single ? NAN : (double)session_pairs(session, of)->count;
    json_object_set_new(record, "distinguishable",
                        metric_is_judged(session, of) ? json_boolean(effect == EFFECT_SEEN)
                                                      : json_null());
    json_object_set_new(
        record, "judgement",
        json_pack("{s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:[]}", "effect", effect_names[effect],
                  "at_most", json_figure(effect == EFFECT_NONE ? effect_at_most(&ratio) : NAN),
                  "pairs_needed",
                  json_figure(effect == EFFECT_UNKNOWN ? effect_pairs_needed(&ratio, pairs) : NAN),
                  "q", json_figure(look && look->family > 0 ? look->q : NAN), "family",
                  (json_int_t)(look ? look->family : 1), "level",
                  json_figure(session->settings->confidence), "load",
                  load_json(&session->conditions[of.condition]), "problems"));
}

// Whether a warning is of a ratio: of its condition, of what this is compared with, or of all; and
// of its metric, or of all.
static bool is_of(const json_t *warning, const json_t *ratio)
{
    const char *condition = json_text_at(warning, "condition"),
               *metric = json_text_at(warning, "metric");
    const char *own[] = {json_text_at(ratio, "condition"), json_text_at(ratio, "reference")};
    const bool is_there = !condition || (own[0] && strcmp(condition, own[0]) == 0) ||
                          (own[1] && strcmp(condition, own[1]) == 0);
    return is_there && (!metric || strcmp(metric, json_text_or_empty(ratio, "metric")) == 0);
}

static void name_problem(json_t *ratio, const json_t *warning)
{
    json_t *problems = json_object_get(json_object_get(ratio, "judgement"), "problems");
    const char *flag = json_text_or_empty(warning, "flag");
    size_t i;
    json_t *named;
    if (!is_of(warning, ratio))
        return;
    json_array_foreach(problems, i, named) if (strcmp(json_string_value(named), flag) == 0) return;
    json_array_append_new(problems, json_string(flag));
}

void judgements_name_problems(json_t *summary)
{
    static const char *const lists[] = {"slowdowns", "comparisons", "interactions"};
    JSON_EACH (warning, json_object_get(summary, "warnings")) {
        if (strcmp(json_text_or_empty(warning, "severity"), "problem") != 0)
            continue;
        for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
            JSON_EACH (ratio, json_object_get(summary, lists[i]))
                name_problem(ratio, warning);
    }
}
