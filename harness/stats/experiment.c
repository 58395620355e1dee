#include "experiment.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(const char *folder, const char *what)
{
    return complain("%s/experiment.json: %s: give a folder that jostle run or slowdown has made",
                    folder, what);
}

static double real_of(const json_t *settings, const char *name, double otherwise)
{
    const json_t *value = json_object_get(settings, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static size_t count_of(const json_t *settings, const char *name, size_t otherwise)
{
    const double value = real_of(settings, name, (double)otherwise);
    return value >= 0 && value <= MAX_RUNS_LIMIT ? (size_t)value : otherwise;
}

static bool take_conditions(struct settings *settings, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (!name || !settings_add_condition(settings, name))
            return false;
    }
    return settings->condition_count > 0;
}

// Of the definitions that of the metric; NULL: it is built in.
static const json_t *definition_of(const json_t *definitions, const char *name)
{
    for (size_t i = 0; i < json_array_size(definitions); i++)
        if (strcmp(json_text_or_empty(json_array_get(definitions, i), "name"), name) == 0)
            return json_array_get(definitions, i);
    return NULL;
}

// Whether one variant only has a metric (NAME@VARIANT=).
static bool is_alone(const json_t *definitions, const char *name)
{
    size_t sources = 0;
    for (size_t i = 0; i < json_array_size(definitions); i++) {
        const json_t *one = json_array_get(definitions, i);
        if (strcmp(json_text_or_empty(one, "name"), name) != 0)
            continue;
        if (!json_is_string(json_object_get(one, "variant")))
            return false;
        sources++;
    }
    return sources == 1;
}

static void take_metric(struct settings *settings, const json_t *definitions, const char *name)
{
    const json_t *definition = definition_of(definitions, name);
    if (!definition) {
        metrics_choose_builtin(&settings->metrics, name);
        return;
    }
    if (metrics_choose_output(&settings->metrics, name, json_text_or_empty(definition, "unit"),
                              strcmp(json_text_or_empty(definition, "better"), "higher") == 0))
        settings->metrics.item[metrics_find(&settings->metrics, name)].alone =
            is_alone(definitions, name);
}

// Those that decide, where not all do. Older records have no such list.
static void take_decide(struct settings *settings, const json_t *names)
{
    for (size_t m = 0; m < settings->metrics.count && json_array_size(names) > 0; m++)
        settings->metrics.item[m].decides = false;
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const size_t metric = name ? metrics_find(&settings->metrics, name) : MAX_METRICS;
        if (metric < MAX_METRICS && settings->metrics.item[metric].chosen)
            settings->metrics.item[metric].decides = true;
    }
}

static void take_metrics(struct settings *settings, const json_t *json)
{
    const json_t *names = json_object_get(json, "metric");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name)
            take_metric(settings, json_object_get(json, "metrics"), name);
    }
    take_decide(settings, json_object_get(json, "decide"));
    if (metrics_deciding(&settings->metrics) == 0)
        metrics_choose(&settings->metrics, WALL_S);
}

// Records of before --washout was there had none.
static void take_washout(struct settings *settings, const json_t *json)
{
    char ignored[128];
    const char *text = json_string_value(json_object_get(json, "washout"));
    if (!text || !washout_parse(text, &settings->washout, ignored, sizeof ignored))
        settings->washout = (struct washout){0};
}

// What was checked when it was written; older records have none.
static void take_capacity(struct settings *settings, const json_t *capacity)
{
    char ignored[256];
    struct objectives objectives;
    struct vary vary;
    if (!objectives_parse(json_text_or_empty(capacity, "slo"), &objectives, ignored,
                          sizeof ignored) ||
        !vary_parse(json_text_or_empty(capacity, "vary"), &vary, ignored, sizeof ignored))
        return;
    settings->objectives = objectives;
    settings->vary = vary;
}

// What older records do not have is the mean.
static void take_settings(struct settings *settings, const json_t *json)
{
    settings->statistic = statistic_named(json_string_value(json_object_get(json, "statistic")));
    settings->error = real_of(json, "error", DEFAULT_ERROR);
    settings->confidence = json_confidence_at(json);
    settings->min_runs = count_of(json, "min_runs", DEFAULT_MIN_RUNS);
    settings->max_runs = count_of(json, "max_runs", DEFAULT_MAX_RUNS);
    settings->discard_warmup = count_of(json, "discard_warmup", 0);
    settings->seed = (unsigned long)json_integer_value(json_object_get(json, "seed"));
    settings->at_most = real_of(json, "at_most", 0);
    settings->same_within = real_of(json, "same_within", 0);
    settings->aa = json_is_true(json_object_get(json, "aa"));
    judge_read_ignored(&settings->ignored, json);
    take_washout(settings, json);
    take_metrics(settings, json);
    take_capacity(settings, json_object_get(json, "capacity"));
}

// A single program has none.
static void take_variants(struct settings *settings, const json_t *list)
{
    const size_t count = json_array_size(list);
    if (count > 1 && settings->condition_count % count == 0)
        settings->variants = count;
}

// Older experiments have none: theirs are those of now.
static void take_looks(struct settings *settings, const json_t *looks)
{
    settings->looks.from = count_of(looks, "from", 0);
    settings->looks.to = count_of(looks, "to", 0);
}

// Of the session that measures now: an experiment that was resumed has its own.
static bool shared_at_once(const json_t *json)
{
    const json_t *resumed = json_object_get(json, "resumed");
    const size_t sessions = json_array_size(resumed);
    const json_t *now = sessions > 0 ? json_array_get(resumed, sessions - 1) : json;
    const json_t *neighbours = json_object_get(json_object_get(now, "before"), "neighbours");
    return json_array_size(json_object_get(neighbours, "jobs")) > 0;
}

bool experiment_open(struct experiment *experiment, const char *folder)
{
    char *path = NULL;
    json_error_t error;
    *experiment = (struct experiment){0};
    settings_begin(&experiment->settings);
    if (asprintf(&path, "%s/experiment.json", folder) < 0)
        return wrong(folder, "no memory");
    experiment->json = json_read_record(path, 0, &error);
    free(path);
    if (!experiment->json)
        return wrong(folder, error.text);
    const char *schema = json_string_value(json_object_get(experiment->json, "schema"));
    if (schema && strcmp(schema, SCHEMA_EXPERIMENT) != 0) {
        complain("%s/experiment.json has the schema %s, and this version reads %s: use the jostle "
                 "that made it",
                 folder, schema, SCHEMA_EXPERIMENT);
        experiment_close(experiment);
        return false;
    }
    const json_t *settings = json_object_get(experiment->json, "settings");
    const json_t *environment = json_object_get(experiment->json, "environment");
    const json_t *conditions = json_object_get(experiment->json, "conditions");
    const json_t *loads = json_object_get(experiment->json, "loads");
    // Older experiments have no variants: their conditions are the loads.
    if (!take_conditions(&experiment->settings, conditions ? conditions : loads) ||
        !json_is_object(settings)) {
        experiment_close(experiment);
        return wrong(folder, "it has no loads or no settings");
    }
    take_settings(&experiment->settings, settings);
    take_variants(&experiment->settings, json_object_get(experiment->json, "variants"));
    take_looks(&experiment->settings, json_object_get(experiment->json, "looks"));
    experiment->warmup = count_of(settings, "warmup", 0);
    experiment->cpus = real_of(environment, "cpus_online", 1);
    experiment->shared_at_once = shared_at_once(experiment->json);
    return true;
}

const char *experiment_member(const struct experiment *experiment, size_t condition,
                              const char *member)
{
    const json_t *list = json_object_get(experiment->json, "conditions");
    if (!list && strcmp(member, "load") == 0)
        return experiment->settings.conditions[condition];
    return json_string_value(json_object_get(json_array_get(list, condition), member));
}

const char *experiment_stopped(const struct experiment *experiment)
{
    return json_string_value(json_object_get(experiment->json, "stopped"));
}

void experiment_close(struct experiment *experiment)
{
    settings_free(&experiment->settings);
    json_decref(experiment->json);
    experiment->json = NULL;
}
