#include "harness/probe/assess_json.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* [low, high]; null where a bound is not known. */
static json_t *interval(double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? json_pack("[o, o]", number_to_json(low), number_to_json(high))
               : json_null();
}

/* Half the width of an interval of a log ratio, in standard errors. */
static double quantile(const struct assessment *assessment)
{
    return gsl_cdf_ugaussian_Qinv((1 - assessment->confidence) / 2);
}

static json_t *ratio_interval(const struct assessment *assessment,
                              const struct assessed_reporter *reporter)
{
    const double half = quantile(assessment) * reporter->error;
    return interval(exp(reporter->log_ratio - half), exp(reporter->log_ratio + half));
}

/* What it reaches when the machine is quiet, by the ratio. */
static double quiet_of(enum reporter reporter, const struct assessed_reporter *assessed)
{
    const double sign = reporters[reporter].higher_is_better ? -1 : 1;
    return assessed->reading.value / exp(sign * assessed->log_ratio);
}

static json_t *reporter_to_json(const struct assessment *assessment, enum reporter reporter)
{
    const struct assessed_reporter *assessed = &assessment->reporter[reporter];
    const struct reading *reading = &assessed->reading;
    const bool works = reading->reason == NULL && reading->n > 0;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "name",
                     reporters[reporter].name, "unit", reporters[reporter].unit, "worse",
                     reporters[reporter].higher_is_better ? "lower" : "higher", "what",
                     reporters[reporter].what, "value",
                     number_to_json(works ? reading->value : NAN), "n", works ? (int)reading->n : 0,
                     "spread", number_to_json(works ? reading->spread : NAN), "quiet",
                     number_to_json(works ? quiet_of(reporter, assessed) : NAN), "ratio",
                     number_to_json(exp(assessed->log_ratio)), "ci",
                     ratio_interval(assessment, assessed), "reason", text_to_json(reading->reason));
}

static json_t *reporters_to_json(const struct assessment *assessment)
{
    json_t *list = json_array();
    for (enum reporter r = 0; r < REPORTERS; r++) {
        const struct reading *reading = &assessment->reporter[r].reading;
        if (reading->n > 0 || reading->reason != NULL)
            (void)json_array_append_new(list, reporter_to_json(assessment, r));
    }
    return list;
}

static json_t *activity_to_json(const struct assessed_activity *assessed, enum activity a)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:b}", "name", activities[a].name, "unit",
                     activities[a].unit, "what", activities[a].what, "value",
                     number_to_json(assessed->value), "share", number_to_json(assessed->share),
                     "error", number_to_json(assessed->error), "used", assessed->used);
}

static json_t *activities_to_json(const struct assessment *assessment)
{
    json_t *list = json_array();
    for (enum activity a = 0; a < ACTIVITIES; a++)
        (void)json_array_append_new(list, activity_to_json(&assessment->activity[a], a));
    return list;
}

/* The load that one would have to start for it. */
static json_t *as_if(enum kind kind, const struct invert_level *level)
{
    char spec[64];
    if (!level->known || !level->seen || level->level <= 0)
        return json_null();
    return text_to_json(kind_spec(kind, round(level->level * 100) / 100, spec, sizeof spec));
}

static json_t *resource_to_json(const struct assessment *assessment, enum kind kind)
{
    static const struct invert_level none = {.level = NAN, .lo = NAN, .hi = NAN, .p = NAN};
    const struct invert_level *level =
        assessment->has_levels && assessment->inversion.level[kind].known
            ? &assessment->inversion.level[kind]
            : &none;
    const enum reporter witness = assess_witness(kind);
    const struct assessed_reporter *assessed =
        witness == REPORTERS ? NULL : &assessment->reporter[witness];
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:b, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "name", kinds[kind].name,
        "resource", kinds[kind].resource, "level", number_to_json(level->level), "ci",
        interval(level->lo, level->hi), "open", level->open, "beyond", level->beyond, "seen",
        level->seen, "p", number_to_json(level->p), "as_if", as_if(kind, level), "ratio",
        number_to_json(assessed == NULL ? NAN : exp(assessed->log_ratio)), "ratio_ci",
        assessed == NULL ? json_null() : ratio_interval(assessment, assessed), "reporter",
        witness == REPORTERS ? json_null() : json_string(reporters[witness].name));
}

static json_t *resources_to_json(const struct assessment *assessment)
{
    json_t *list = json_array();
    for (enum kind k = 0; k < KINDS; k++)
        (void)json_array_append_new(list, resource_to_json(assessment, k));
    return list;
}

/* Whether there is any load, and which of them would explain the readings alone. */
static json_t *any_to_json(const struct assessment *assessment)
{
    const struct invert_any *any = &assessment->inversion.any;
    if (!assessment->has_levels)
        return json_null();
    json_t *alone = json_array();
    for (enum kind k = 0; any->seen && k < KINDS; k++) {
        char spec[64];
        if (any->alone[k] > 0)
            (void)json_array_append_new(
                alone,
                json_pack(
                    "{s:s, s:f, s:s}", "name", kinds[k].name, "level", any->alone[k], "as_if",
                    kind_spec(k, fmax(round(any->alone[k] * 100), 1) / 100, spec, sizeof spec)));
    }
    return json_pack("{s:b, s:o, s:o}", "seen", any->seen, "p", number_to_json(any->p), "one_of",
                     alone);
}

static json_t *expectation_to_json(const struct expectation *expectation, const char *program)
{
    if (!expectation->asked)
        return json_null();
    json_t *shares = json_object();
    for (enum kind k = 0; expectation->known && k < KINDS; k++)
        (void)json_object_set_new(shares, kinds[k].name, number_to_json(expectation->by_kind[k]));
    const bool carried = expectation->known && expectation->most != KINDS;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "of", text_to_json(program), "slowdown",
        number_to_json(expectation->known ? expectation->slowdown : NAN), "ci",
        expectation->known ? interval(expectation->lo, expectation->hi) : json_null(), "mostly",
        carried ? json_string(kinds[expectation->most].name) : json_null(), "resource",
        carried ? json_string(kinds[expectation->most].resource) : json_null(), "by_kind", shares,
        "reason", expectation->known ? json_null() : text_to_json(expectation->reason));
}

static json_t *limit_to_json(const struct assessment *assessment,
                             const struct probe_context *context)
{
    static const char *const states[] = {NULL, "below", "above", "undecided"};
    if (!context->limited)
        return json_null();
    json_t *left_out = json_array();
    for (enum kind k = 0; assessment->has_levels && !assessment->expectation.asked && k < KINDS;
         k++) {
        const struct invert_level *level = &assessment->inversion.level[k];
        if (!level->known || assess_open(level))
            (void)json_array_append_new(left_out, json_string(kinds[k].name));
    }
    return json_pack(
        "{s:s, s:o, s:s, s:o}", "of", assessment->expectation.asked ? "slowdown" : "level", "limit",
        number_to_json(context->at_most), "state", states[assessment->limit], "left_out", left_out);
}

static json_t *reference_to_json(const struct probe_context *context)
{
    if (context->reference == NULL)
        return json_null();
    return json_pack("{s:o, s:o}", "file", text_to_json(context->reference), "made",
                     text_to_json(context->reference_made));
}

json_t *assessment_to_json(const struct assessment *assessment, const struct probe_context *context)
{
    char host[256] = "";
    (void)gethostname(host, sizeof host - 1);
    return json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:O}",
        "schema", SCHEMA_PROBE, "jostle", JOSTLE_VERSION, "made", context->made, "host",
        text_to_json(host), "duration_s", number_to_json(context->duration_s), "place",
        context->place, "cpus", text_to_json(context->cpus), "reference",
        reference_to_json(context), "confidence", number_to_json(assessment->confidence),
        "reporters", reporters_to_json(assessment), "activity", activities_to_json(assessment),
        "agreement_p", number_to_json(assessment->has_levels ? assessment->agreement : NAN),
        "resources", resources_to_json(assessment), "any", any_to_json(assessment), "misfit_p",
        number_to_json(assessment->has_levels ? assessment->inversion.misfit_p : NAN), "kernel",
        kernel_to_json(&assessment->facts), "verdicts", triage_to_json(&assessment->triage),
        "expect", expectation_to_json(&assessment->expectation, context->program), "at_most",
        limit_to_json(assessment, context), "reasons", context->reasons);
}
