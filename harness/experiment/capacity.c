#include "capacity.h"

#include "common/messages.h"
#include "harness/stats/objective.h"

#include <stdio.h>
#include <string.h>

/* A search takes some runs before it is near; see docs/capacity.md. */
#define MIN_RUNS 10
#define MAX_RUNS 60

void capacity_limits(struct settings *settings, const struct options *given)
{
    if (!options_given(given, "max-runs"))
        settings->max_runs = settings->min_runs > MAX_RUNS ? settings->min_runs : MAX_RUNS;
    if (settings->min_runs == 0)
        settings->min_runs = settings->max_runs < MIN_RUNS ? settings->max_runs : MIN_RUNS;
    settings->washout = "0";
}

/* Refuses one that some variant has no figure of. */
static void check_lacking(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->metric[i].name, name) == 0 && metrics->metric[i].lacking != NULL)
            usage_error("--slo %s: variant %s has no such metric: add --metric '%s@%s=SOURCE'",
                        name, metrics->metric[i].lacking, name, metrics->metric[i].lacking);
}

static bool has_metric(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->metric[i].name, name) == 0)
            return true;
    const struct builtin_metric *builtin = builtin_metric(name);
    return builtin != NULL && builtin->counters == NEEDS_NO_COUNTERS;
}

/* What is wrong with an objective of a metric that no run will have. */
static _Noreturn void refuse_metric(const char *name)
{
    if (builtin_metric(name) != NULL)
        usage_error("--slo %s: that is counted on request only: add --metric %s", name, name);
    usage_error("--slo %s: no metric is named so: define it, such as --metric '%s=stdout:/REGEX/', "
                "or take an adapter's with --metric @NAME",
                name, name);
}

static bool has_place(const struct variant *variant, const char *place)
{
    for (size_t i = 0; i < variant->word_count; i++)
        if (strstr(variant->words[i], place) != NULL)
            return true;
    return false;
}

static void check_place(const struct experiment *experiment, const struct vary *vary)
{
    char place[OBJECTIVE_NAME_SIZE + 2];
    snprintf(place, sizeof place, "{%s}", vary->name);
    for (size_t i = 0; i < experiment->variants.count; i++)
        if (!has_place(&experiment->variants.variant[i], place))
            usage_error("--vary %s: %s is not in the target's words (%.100s): write it where the "
                        "value goes",
                        vary->name, place, experiment->variants.variant[i].text);
}

void capacity_check(const struct experiment *experiment)
{
    const struct settings *settings = &experiment->settings;
    struct objectives objectives;
    struct vary vary;
    char error[256];
    if (settings->slo == NULL)
        usage_error("capacity needs --slo, what a run has to keep: such as --slo 'p99_ms<2'");
    if (settings->vary == NULL)
        usage_error("capacity needs --vary, what is varied: such as --vary "
                    "'rate=1000..200000,unit=/s', with {rate} in the target's words");
    if (!objectives_parse(settings->slo, &objectives, error, sizeof error))
        usage_error("--slo %s: %s", settings->slo, error);
    if (!vary_parse(settings->vary, &vary, error, sizeof error))
        usage_error("--vary %s: %s", settings->vary, error);
    if (settings->engine != ENGINE_METER)
        usage_error("--engine hyperfine has no values to vary: leave it out");
    for (size_t i = 0; i < objectives.count; i++) {
        check_lacking(&experiment->metrics, objectives.item[i].metric);
        if (!has_metric(&experiment->metrics, objectives.item[i].metric))
            refuse_metric(objectives.item[i].metric);
    }
    check_place(experiment, &vary);
}

json_t *capacity_to_json(const struct settings *settings)
{
    if (settings->slo == NULL)
        return json_null();
    return json_pack("{s:s, s:s}", "slo", settings->slo, "vary", settings->vary);
}
