// Reads the settings of an experiment, and answers what follows from them.
#include "settings.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void settings_begin(struct settings *settings)
{
    *settings = (struct settings){.variants = 1};
    for (size_t i = 0; i < BASIC_METRICS; i++)
        (void)metrics_know(&settings->metrics, builtin_metrics[i].name);
}

bool settings_add_condition(struct settings *settings, const char *name)
{
    if (settings->condition_count == MAX_CONDITIONS)
        return false;
    settings->conditions[settings->condition_count++] = must(strdup(name));
    return true;
}

int settings_condition(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        if (strcmp(settings->conditions[i], name) == 0)
            return (int)i;
    return -1;
}

bool settings_is_sequential(const struct settings *settings)
{
    return settings->min_runs < settings->max_runs;
}

bool settings_has_gate(const struct settings *settings)
{
    return settings->at_most > 0 || settings->tolerance > 0;
}

bool settings_has_capacity(const struct settings *settings)
{
    return settings->objectives.count > 0;
}

bool settings_varies_rate(const struct settings *settings)
{
    return settings_has_capacity(settings) &&
           (strcmp(settings->vary.unit, "/s") == 0 || strcmp(settings->vary.unit, "1/s") == 0);
}

size_t settings_family(const struct settings *settings)
{
    const size_t metrics = metrics_deciding(&settings->metrics), loads = settings_loads(settings);
    const size_t variants = (settings->variants - 1) * (loads + 1);
    const size_t comparisons = settings->variants > 1 ? variants : loads;
    return metrics * (settings_has_gate(settings) && comparisons > 1 ? comparisons : 1);
}

size_t settings_variant(const struct settings *settings, size_t condition)
{
    return condition % settings->variants;
}

size_t settings_load(const struct settings *settings, size_t condition)
{
    return condition / settings->variants;
}

size_t settings_reference(const struct settings *settings, size_t condition, enum against against)
{
    const size_t variant = settings_variant(settings, condition);
    return against == AGAINST_ALONE ? variant : condition - variant;
}

bool settings_compares(const struct settings *settings, size_t condition, enum against against)
{
    if (against == AGAINST_BOTH && settings_load(settings, condition) == 0)
        return false;
    return settings_reference(settings, condition, against) != condition;
}

enum against settings_decides_by(const struct settings *settings)
{
    return settings->variants > 1 ? AGAINST_REFERENCE : AGAINST_ALONE;
}

struct ratio settings_deciding(const struct settings *settings, size_t condition, size_t metric)
{
    return (struct ratio){condition, settings_decides_by(settings), metric};
}

const char *settings_load_name(const struct settings *settings, size_t condition)
{
    const char *name = settings->conditions[condition];
    if (!settings_is_loaded(settings, (int)condition))
        return NULL;
    // The name itself where a stranger's record has another form.
    const char *variant = settings->conditions[settings_variant(settings, condition)];
    const char *load = settings->variants > 1 ? text_after(name, variant) : NULL;
    return load && *load == '@' ? load + 1 : name;
}

size_t settings_loads(const struct settings *settings)
{
    return settings->condition_count / settings->variants - 1 - (settings_aa(settings) > 0 ? 1 : 0);
}

size_t settings_aa(const struct settings *settings)
{
    int index = settings->aa ? settings_condition(settings, "aa") : 0;
    return index > 0 ? (size_t)index : 0;
}

bool settings_is_loaded(const struct settings *settings, int condition)
{
    return condition >= (int)settings->variants && condition != (int)settings_aa(settings);
}

bool settings_needs_positive(const struct settings *settings, size_t metric)
{
    const struct metric_setting *one = &settings->metrics.item[metric];
    const bool no_loads = settings->condition_count == settings->variants;
    // Counts may be 0: of these the differences are compared (typical_changes). A rate of 0 is
    // none.
    if (settings->statistic == STATISTIC_TYPICAL && !one->higher_is_better)
        return false;
    return !one->builtin && settings->condition_count > 1 && !(one->alone && no_loads) &&
           !settings_has_capacity(settings);
}

void settings_free(struct settings *settings)
{
    for (size_t i = 0; i < settings->condition_count; i++)
        free(settings->conditions[i]);
    settings->condition_count = 0;
}

// ---- metrics

size_t metrics_find(const struct metric_settings *metrics, const char *name)
{
    size_t i = 0;
    while (i < metrics->count && strcmp(metrics->item[i].name, name) != 0)
        i++;
    return i < metrics->count ? i : MAX_METRICS;
}

size_t metrics_add(struct metric_settings *metrics, const struct metric_setting *metric)
{
    if (metrics->count == MAX_METRICS || metrics_find(metrics, metric->name) < MAX_METRICS)
        return MAX_METRICS;
    metrics->item[metrics->count] = *metric;
    return metrics->count++;
}

size_t metrics_know(struct metric_settings *metrics, const char *name)
{
    const struct builtin_metric *builtin = builtin_metric(name);
    const size_t metric = metrics_find(metrics, name);
    if (metric < MAX_METRICS || !builtin)
        return metric;
    return metrics_add(
        metrics,
        &(struct metric_setting){.name = builtin->name, .unit = builtin->unit, .builtin = builtin});
}

void metrics_choose(struct metric_settings *metrics, size_t metric)
{
    if (metric < MAX_METRICS)
        metrics->item[metric].chosen = metrics->item[metric].decides = true;
}

size_t metrics_deciding(const struct metric_settings *metrics)
{
    size_t count = 0;
    for (size_t i = 0; i < metrics->count; i++)
        count += metrics->item[i].decides;
    return count;
}

bool metrics_reports(const struct metric_settings *metrics, size_t metric)
{
    return metric == WALL_S || metrics->item[metric].chosen;
}

bool metrics_is_time(const struct metric_settings *metrics, size_t metric)
{
    const struct metric_setting *one = &metrics->item[metric];
    return one->builtin && strcmp(one->unit, "s") == 0;
}

bool metrics_is_ticks(const struct metric_settings *metrics, size_t metric)
{
    return metric != WALL_S && metrics_is_time(metrics, metric) &&
           metrics->item[metric].builtin->counters == NEEDS_NO_COUNTERS;
}

// ---- reading

// Members of `settings` as experiment.json has them.
struct recorded {
    double error, min_runs, max_runs, warmup, service_warmup, discard_warmup;
    double at_most, same_within;
    const char *statistic, *washout, *service, *slo, *vary;
    bool has_no_limit, keeps_service, aa;
};

#define SETTING(object, member_name, kind, member, ...)                                            \
    {                                                                                              \
        .in = object, .name = member_name, .type = FIELD_##kind,                                   \
        .offset = offsetof(struct recorded, member), __VA_ARGS__                                   \
    }
static const struct field recorded_fields[] = {
    SETTING(NULL, "error", REAL, error, .meaning = "relative half-width of the intervals"),
    SETTING(NULL, "min_runs", REAL, min_runs),
    SETTING(NULL, "max_runs", REAL, max_runs),
    SETTING(NULL, "max_runs", NULL, has_no_limit),
    SETTING(NULL, "warmup", REAL, warmup, .meaning = "unmeasured runs of each condition"),
    SETTING(NULL, "service_warmup", REAL, service_warmup, .meaning = "after each of its starts"),
    SETTING(NULL, "discard_warmup", REAL, discard_warmup),
    SETTING(NULL, "at_most", REAL, at_most, .meaning = "the limit of a gate"),
    SETTING(NULL, "same_within", REAL, same_within, .meaning = "a difference that is none"),
    SETTING(NULL, "statistic", TEXT, statistic, .meaning = "older records: the mean"),
    SETTING(NULL, "washout", TEXT, washout, .meaning = "older records: none"),
    SETTING(NULL, "service", TEXT, service),
    SETTING(NULL, "keep_service", FLAG, keeps_service),
    SETTING(NULL, "aa", FLAG, aa),
    SETTING("capacity", "slo", TEXT, slo),
    SETTING("capacity", "vary", TEXT, vary),
    {0},
};
#undef SETTING

double settings_confidence(struct node settings)
{
    const double confidence = node_number(node_get(settings, "confidence"));
    return confidence > 0 && confidence < 1 ? confidence : DEFAULT_CONFIDENCE;
}

static double or_default(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

static size_t count_or(double value, size_t otherwise)
{
    return value >= 0 ? (size_t)fmin(value, MAX_RUNS_LIMIT) : otherwise;
}

// A metric that definitions name is taken from the target's output. Of several definitions each is
// for one variant (NAME@VARIANT=); with a single one of that kind only that variant has it.
static void take_metric(struct metric_settings *metrics, const json_t *definitions,
                        const char *name)
{
    const json_t *definition = NULL;
    size_t sources = 0;
    JSON_EACH (one, definitions) {
        if (!json_text_is(one, "name", name))
            continue;
        definition = definition ? definition : one;
        sources++;
    }
    const struct metric_setting defined = {
        .name = name,
        .unit = json_text_or_empty(definition, "unit"),
        .higher_is_better = json_text_is(definition, "better", "higher"),
        .alone = sources == 1 && json_text_at(definition, "variant") != NULL};
    metrics_choose(metrics,
                   definition ? metrics_add(metrics, &defined) : metrics_know(metrics, name));
}

static void take_metrics(struct settings *settings, const json_t *json)
{
    struct metric_settings *metrics = &settings->metrics;
    const json_t *deciding = json_object_get(json, "decide");
    JSON_EACH (name, json_object_get(json, "metric"))
        if (json_is_string(name))
            take_metric(metrics, json_object_get(json, "metrics"), json_string_value(name));
    // Those that decide, where not all do. Older records have no such list.
    for (size_t m = 0; m < metrics->count && json_array_size(deciding) > 0; m++)
        metrics->item[m].decides = false;
    JSON_EACH (one, deciding) {
        const char *name = json_string_value(one);
        const size_t metric = name ? metrics_find(metrics, name) : MAX_METRICS;
        if (metric < MAX_METRICS && metrics->item[metric].chosen)
            metrics->item[metric].decides = true;
    }
    if (metrics_deciding(metrics) == 0)
        metrics_choose(metrics, WALL_S);
}

static void take_settings(struct settings *settings, const json_t *json)
{
    struct recorded recorded;
    char why[256];
    (void)fields_read(recorded_fields, node_of_json(json), &recorded);
    settings->statistic = statistic_named(recorded.statistic);
    settings->error = or_default(recorded.error, DEFAULT_ERROR);
    settings->confidence = settings_confidence(node_of_json(json));
    settings->min_runs = count_or(recorded.min_runs, DEFAULT_MIN_RUNS);
    settings->max_runs =
        recorded.has_no_limit ? MAX_RUNS_LIMIT : count_or(recorded.max_runs, DEFAULT_MAX_RUNS);
    settings->warmup = count_or(recorded.warmup, 0);
    settings->each_block = recorded.service && !recorded.keeps_service;
    settings->service_warmup = count_or(recorded.service_warmup, 0);
    settings->discard_warmup = count_or(recorded.discard_warmup, 0);
    settings->seed = (unsigned long)json_integer_value(json_object_get(json, "seed"));
    settings->aa = recorded.aa;
    settings->at_most = fmax(recorded.at_most, 0); // 0 where it is not given
    settings->tolerance = fmax(recorded.same_within, 0);
    ignored_read(&settings->ignored, node_of_json(json));
    (void)washout_parse(recorded.washout ?: "", &settings->washout, why, sizeof why);
    take_metrics(settings, json);
    JSON_EACH (one, json_object_get(json, "metrics"))
        if (!settings->achieved && json_text_is(one, "role", "achieved"))
            settings->achieved = json_text_at(one, "name");
    // What was checked when it was written; older records have none.
    if (!objectives_parse(recorded.slo ?: "", &settings->objectives, why, sizeof why) ||
        !vary_parse(recorded.vary ?: "", &settings->vary, why, sizeof why))
        settings->objectives = (struct objectives){0};
}

bool settings_read(struct settings *settings, const json_t *experiment)
{
    const json_t *json = json_object_get(experiment, "settings");
    const json_t *conditions = json_object_get(experiment, "conditions");
    const json_t *looks = json_object_get(experiment, "looks");
    const size_t variants = json_array_size(json_object_get(experiment, "variants"));
    settings_begin(settings);
    // Older experiments have no variants: their conditions are the loads.
    JSON_EACH (one, conditions ? conditions : json_object_get(experiment, "loads")) {
        const char *name = json_text_at(one, "name");
        if (!name || !settings_add_condition(settings, name))
            return false;
    }
    if (settings->condition_count == 0 || !json_is_object(json))
        return false;
    take_settings(settings, json);
    JSON_EACH (load, json_object_get(experiment, "loads"))
        settings->each_run =
            settings->each_run ||
            json_array_size(json_object_get(json_object_get(load, "settings"), "service")) > 0;
    settings->each_block = settings->each_block && !settings->each_run;
    // A single program has none.
    if (variants > 1 && settings->condition_count % variants == 0)
        settings->variants = variants;
    // Older experiments have none: theirs are those of now.
    settings->looks.from = count_or(json_number_at(looks, "from"), 0);
    settings->looks.to = count_or(json_number_at(looks, "to"), 0);
    settings->looks.for_s = fmax(json_number_at(looks, "for_s"), 0);
    return true;
}
