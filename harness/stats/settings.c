// Reads the settings of an experiment, and answers what follows from them.
#include "settings.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_expint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Looks: how sure each of several looks at a growing experiment must be, for all of them
// together to be wrong no more often than one look may be.

static const double planned_share = 0.9, other_share = 0.05;
static const double overshoot = 0.5826;            // Siegmund's rho
static const double few_looks = 0.75, early = 0.5; // of the factor; found by simulation
enum { HALVINGS = 60, FIRST = 2 };                 // no interval with fewer blocks

// With an end in time: the bound falls with this power of the share that is over, from at most so
// much, at which signed ranks of 15 pairs have an interval. A plan has room for this much more
// blocks than the time so far promises; and for as many as are made however long they take.
static const double falls = 0.2, highest = 3.5, room = 1.1;
static const double steeper = 1.07; // of the path; found by simulation
static const double fine = 1e-6;
enum { MANY_STEPS = 20 };

// The bound after n blocks: b is that of the last.
static double bound_at(double b, double n, double to, bool timed)
{
    return timed ? fmax(fmin(b * pow(n / to, -falls), highest), b) : b;
}

// What the path adds between two looks where the bound falls: in steps of the logarithm of n, by
// its height and how steeply it falls. What differs by a power of n is multiplied from step to
// step, as each look asks for this many times.
static double path_below(double b, double from, double to)
{
    const double step = log(to / from) / MANY_STEPS, lower = exp(-falls * step);
    const double narrower = exp(-step / 2), density = gsl_ran_ugaussian_pdf(0);
    double height = b * pow(from / to, -falls) * sqrt(lower);
    double width = sqrt(narrower) / sqrt(from), sum = 0;
    for (int i = 0; i < MANY_STEPS; i++) {
        const double here = fmax(fmin(height, highest), b);
        const double steep = here < height ? here : here * (1 + 2 * falls);
        sum += steep * exp(-here * here / 2 - overshoot * steep * width);
        height *= lower;
        width *= narrower;
    }
    return sum * step * density;
}

// The probability that |S_n| / sqrt(n) exceeds the bound at some n from `from` to `to`.
static double crossing(double b, double from, double to, bool timed)
{
    const double once = 2 * gsl_cdf_ugaussian_Q(bound_at(b, from, to, timed));
    if (!(to > from))
        return once;
    const double factor = 1 + few_looks * from / to + early / from;
    if (timed)
        return once + steeper * factor * path_below(b, from, to);
    const double path =
        gsl_sf_expint_E1(overshoot * b / sqrt(to)) - gsl_sf_expint_E1(overshoot * b / sqrt(from));
    return once + factor * 2 * b * gsl_ran_ugaussian_pdf(b) * path;
}

// The bound at the end of looks from `from` to `to` that leaves `error_rate` for all of them.
static double bound_for(double error_rate, double from, double to, bool timed)
{
    double low = 0, high = 40; // crossing() falls from 1 on
    // An integral each time: of a bound that falls a few digits will do.
    for (int i = 0; i < HALVINGS && !(timed && high - low < fine); i++) {
        const double middle = (low + high) / 2;
        if (2 * gsl_cdf_ugaussian_Q(middle) > error_rate ||
            crossing(middle, from, to, timed) > error_rate)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// The rate of each look from `from` to `to` that leaves `error_rate` for all of them.
static double rate_of_each(double error_rate, double from, double to)
{
    return 2 * gsl_cdf_ugaussian_Q(bound_for(error_rate, from, to, false));
}

// The first look with a share of the error rate of its own: FIRST for the earlier ones, that
// of the plan, or the one after each doubling.
static size_t share_begins(const struct looks *looks, size_t n, size_t *last)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t begin = from;
    *last = from - 1;
    if (n < from)
        return FIRST;
    for (*last = looks->to > from ? looks->to : from; n > *last; *last *= 2)
        begin = *last + 1;
    return begin;
}

bool looks_alike(const struct looks *looks, size_t a, size_t b)
{
    size_t last;
    const size_t begin = share_begins(looks, a, &last);
    const bool planned = looks->for_s > 0 && begin >= looks->from && last == looks->to;
    return planned ? a == b : begin == share_begins(looks, b, &last);
}

struct looks looks_in_time(const struct looks *looks, size_t blocks, double spent_s)
{
    struct looks plan = *looks;
    const double promised = ceil(room * (double)blocks * looks->for_s / spent_s);
    if (!(looks->for_s > 0) || !(promised > 0) || blocks == 0)
        plan.for_s = 0;
    else
        plan.to = (size_t)fmin(fmax(promised, DEFAULT_MAX_RUNS), MAX_RUNS_LIMIT);
    return plan;
}

double looks_rate(const struct looks *looks, double error_rate, size_t n)
{
    const size_t from = looks->from > FIRST ? looks->from : FIRST;
    size_t last;
    const size_t first = share_begins(looks, n, &last);
    double share = other_share * error_rate;
    if (n < from)
        return from > FIRST ? share / (double)(from - FIRST) : share;
    if (first == from && looks->for_s > 0) {
        const double b = bound_for(planned_share * error_rate, (double)from, (double)last, true);
        return 2 * gsl_cdf_ugaussian_Q(bound_at(b, (double)n, (double)last, true));
    }
    if (first == from)
        return rate_of_each(planned_share * error_rate, (double)from, (double)last);
    // Each doubling has half of what is left.
    for (size_t end = looks->to > from ? looks->to : from; end < last; end *= 2)
        share /= 2;
    return rate_of_each(share, (double)first, (double)last);
}

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

// Settings of experiment.json, as the program experiment has written them.

static double real_of(const json_t *settings, const char *name, double otherwise)
{
    const json_t *value = json_object_get(settings, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

static size_t count_of(const json_t *settings, const char *name, size_t otherwise)
{
    const double value = real_of(settings, name, (double)otherwise);
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

// What older records do not have is the mean.
static void take_settings(struct settings *settings, const json_t *json)
{
    const json_t *capacity = json_object_get(json, "capacity");
    char why[256];
    settings->statistic = statistic_named(json_text_at(json, "statistic"));
    settings->error = real_of(json, "error", DEFAULT_ERROR);
    settings->confidence = json_confidence_at(json);
    settings->min_runs = count_of(json, "min_runs", DEFAULT_MIN_RUNS);
    settings->max_runs = json_is_null(json_object_get(json, "max_runs"))
                             ? MAX_RUNS_LIMIT
                             : count_of(json, "max_runs", DEFAULT_MAX_RUNS);
    settings->warmup = count_of(json, "warmup", 0);
    const bool is_kept = json_is_true(json_object_get(json, "keep_service"));
    settings->each_block = json_is_string(json_object_get(json, "service")) && !is_kept;
    settings->service_warmup = count_of(json, "service_warmup", 0);
    settings->discard_warmup = count_of(json, "discard_warmup", 0);
    settings->seed = (unsigned long)json_integer_value(json_object_get(json, "seed"));
    settings->aa = json_is_true(json_object_get(json, "aa"));
    ignored_read(&settings->ignored, node_of_json(json));
    // Records of before --washout was there had none: that is no washout.
    (void)washout_parse(json_text_or_empty(json, "washout"), &settings->washout, why, sizeof why);
    take_metrics(settings, json);
    JSON_EACH (one, json_object_get(json, "metrics"))
        if (!settings->achieved && json_text_is(one, "role", "achieved"))
            settings->achieved = json_text_at(one, "name");
    // What was checked when it was written; older records have none.
    if (!objectives_parse(json_text_or_empty(capacity, "slo"), &settings->objectives, why,
                          sizeof why) ||
        !vary_parse(json_text_or_empty(capacity, "vary"), &settings->vary, why, sizeof why))
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
    settings->looks.from = count_of(looks, "from", 0);
    settings->looks.to = count_of(looks, "to", 0);
    settings->looks.for_s = fmax(real_of(looks, "for_s", 0), 0);
    return true;
}

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
