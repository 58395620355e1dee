#include "settings_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/machine_json.h"
#include "common/messages.h"
#include "harness/stats/objective.h"
#include "settings.h"

static json_t *seconds(int64_t time_ns)
{
    return time_ns == 0 ? json_null() : number_to_json((double)time_ns / 1e9);
}

static json_t *priority(int64_t nice)
{
    return nice == NICE_UNSET ? json_null() : json_integer(nice);
}

static json_t *list_to_json(const struct option_list *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, text_to_json(list->item[i]));
    return array;
}

json_t *settings_to_json(const struct settings *settings)
{
    const bool has_service = settings->service != NULL;
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"error", number_to_json(settings->error)},
        {"confidence", number_to_json(settings->confidence)},
        {"min_runs", json_integer((json_int_t)settings->min_runs)},
        {"max_runs", json_integer((json_int_t)settings->max_runs)},
        {"max_time_s", seconds(settings->max_time_ns)},
        {"warmup", json_integer((json_int_t)settings->warmup)},
        {"statistic", json_string(statistic_names[settings->statistic])},
        {"shell", text_to_json(settings->shell)},
        {"setup", text_to_json(settings->setup)},
        {"prepare", text_to_json(settings->prepare)},
        {"conclude", text_to_json(settings->conclude)},
        {"cleanup", text_to_json(settings->cleanup)},
        {"stdout", text_to_json(settings->out)},
        {"stderr", text_to_json(settings->errors)},
        {"input", text_to_json(settings->input)},
        {"service", text_to_json(settings->service)},
        {"ready", text_to_json(settings->ready)},
        {"ready_timeout_s", seconds(has_service ? settings->ready_timeout_ns : 0)},
        {"stop_signal", text_to_json(has_service ? settings->stop_signal : NULL)},
        {"keep_service", json_boolean(settings->keep_service)},
        {"service_cpus", text_to_json(settings->service_cpus)},
        {"discard_warmup", json_integer((json_int_t)settings->discard_warmup)},
        {"aa", json_boolean(settings->aa)},
        {"at_most", number_to_json(settings->at_most > 0 ? settings->at_most : NAN)},
        {"same_within", number_to_json(settings->same_within > 0 ? settings->same_within : NAN)},
        {"until", number_to_json(settings->until > 0 ? settings->until : NAN)},
        {"washout", text_to_json(settings->washout)},
        {"capacity", capacity_to_json(settings)},
        {"cold", json_boolean(settings->cold)},
        {"cold_path", list_to_json(&settings->cold_path)},
        {"timeout_s", seconds(settings->timeout_ns)},
        {"ignore_failure", json_boolean(settings->ignore_failure != NULL)},
        {"ignore_codes", settings_ignored(settings)},
        {"strict", json_boolean(settings->strict)},
        {"probe", json_boolean(!settings->no_probe)},
        {"in", text_to_json(settings->in)},
        {"account", text_to_json(settings->account)},
        {"target_cpus", text_to_json(settings->target_cpus)},
        {"load_cpus", text_to_json(settings->load_cpus)},
        {"place", text_to_json(settings->place)},
        {"place_cpus", text_to_json(settings->place_cpus)},
        {"nice", priority(settings->nice)},
        {"load_nice", priority(settings->load_nice)},
        {"setting", list_to_json(&settings->setting)},
        {"settle_s", seconds(settings->settle_ns)},
        {"seed", json_integer(settings->seed)},
        {"engine", json_string(settings->engine == ENGINE_HYPERFINE ? "hyperfine" : "meter")},
    };
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        json_object_set_new(object, members[i].name, members[i].value);
    return object;
}

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
