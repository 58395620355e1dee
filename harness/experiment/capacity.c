// jostle capacity: its limits, and checks of its objectives and of what is varied.

#include "experiment.h"

#include "common/messages.h"
#include "harness/record/objective.h"

#include <stdio.h>
#include <string.h>

// A search takes some runs before it is near; see docs/services.md#capacity.
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

// Refuses an objective of a metric that no run will have, or some variant has no figure of.
static void check_objective(const struct metrics *metrics, const char *name)
{
    const struct builtin_metric *builtin = builtin_metric(name);
    for (size_t i = 0; i < metrics->count; i++) {
        const char *lacking = metrics_lacking(metrics, &metrics->metric[i]);
        if (strcmp(metrics->metric[i].name, name) != 0)
            continue;
        if (lacking)
            usage_error("--slo %s: variant %s has no such metric: add --metric '%s@%s=SOURCE'",
                        name, lacking, name, lacking);
        return;
    }
    if (builtin && builtin->counters != NEEDS_NO_COUNTERS)
        usage_error("--slo %s: that is counted on request only: add --metric %s", name, name);
    if (!builtin)
        usage_error("--slo %s: no metric is named so: define it, such as --metric "
                    "'%s=stdout:/REGEX/', or take an adapter's with --metric @NAME",
                    name, name);
}

static void check_place(const struct plan_request *experiment, const struct vary *vary)
{
    char place[METRIC_NAME_SIZE + 2];
    snprintf(place, sizeof place, "{%s}", vary->name);
    for (size_t i = 0; i < experiment->variants.count; i++) {
        const struct variant *variant = &experiment->variants.variant[i];
        bool has = false;
        for (size_t k = 0; k < variant->words.count; k++)
            has = has || strstr(variant->words.item[k], place);
        if (!has)
            usage_error("--vary %s: %s is not in the target's words (%.100s): write it where the "
                        "value goes",
                        vary->name, place, variant->text);
    }
}

void capacity_check(const struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    struct objectives objectives;
    struct vary vary;
    char error[256];
    if (!settings->slo)
        usage_error("capacity needs --slo, what a run has to keep: such as --slo 'p99_ms<2'");
    if (!settings->vary)
        usage_error("capacity needs --vary, what is varied: such as --vary "
                    "'rate=1000..200000,unit=/s', with {rate} in the target's words");
    if (!objectives_parse(settings->slo, &objectives, error, sizeof error))
        usage_error("--slo %s: %s", settings->slo, error);
    if (!vary_parse(settings->vary, &vary, error, sizeof error))
        usage_error("--vary %s: %s", settings->vary, error);
    if (settings->engine != ENGINE_METER)
        usage_error("--engine hyperfine has no values to vary: leave it out");
    for (size_t i = 0; i < objectives.count; i++)
        check_objective(&experiment->metrics, objectives.item[i].metric);
    check_place(experiment, &vary);
}
