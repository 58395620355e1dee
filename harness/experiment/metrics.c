// Reads --metric and --decide: what each run is judged by, and where it is found.

#include "experiment.h"

#include "common/energy.h"
#include "common/group.h"
#include "common/jq.h"
#include "common/messages.h"
#include "common/perf_event.h"
#include "common/record_json.h"
#include "common/text.h"
#include "harness/record/objective.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// So many that stats can take, beside those that each run has.
#define MOST (MAX_METRICS - BASIC_METRICS)

// Where metrics go; what was wrong with one that did not.
struct reader {
    struct metrics *metrics; // NULL: they are only checked
    struct arena *arena;
    char *error;
    size_t size;
};

static struct metric_setting *find_metric(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++)
        if (strcmp(metrics->metric[i].name, name) == 0)
            return &metrics->metric[i];
    return NULL;
}

// The metrics of that variant; NULL: of those that have none of their own.
static const struct metric *find_source(const struct metrics *metrics, const char *name,
                                        const char *variant)
{
    for (size_t i = 0; i < metrics->source_count; i++) {
        const struct metric *one = &metrics->source[i];
        const bool same = !one->variant || !variant ? one->variant == variant
                                                    : strcmp(one->variant, variant) == 0;
        if (same && strcmp(one->name, name) == 0)
            return one;
    }
    return NULL;
}

static bool is_twice(const struct reader *reader, const char *name)
{
    snprintf(reader->error, reader->size, "%s is there twice: give each metric once", name);
    return false;
}

// Adds a metric that is not there.
static bool add_metric(const struct reader *reader, const struct metric_setting *metric)
{
    struct metrics *metrics = reader->metrics;
    if (metrics->count == MOST) {
        snprintf(reader->error, reader->size, "these are more than %d metrics: leave some out",
                 MOST);
        return false;
    }
    metrics->metric = arena_more(reader->arena, metrics->metric, metrics->count, sizeof *metric);
    metrics->metric[metrics->count++] = *metric;
    return true;
}

static bool is_idle_share(const struct metric *metric)
{
    return metric->source == METRIC_ENERGY && strcmp(metric->expression, "idle-share") == 0;
}

// Takes what it holds, unless false.
static bool add_source(const struct reader *reader, struct metric *metric)
{
    struct metrics *metrics = reader->metrics;
    const struct metric *before = find_source(metrics, metric->name, metric->variant);
    // An adapter's helper that came with another of its metrics.
    if (before && before->role != ROLE_RESULT && metric->role != ROLE_RESULT && before->adapter &&
        metric->adapter && strcmp(before->adapter, metric->adapter) == 0) {
        metric_free(metric);
        return true;
    }
    if (before)
        return is_twice(reader, metric->name);
    if (!find_metric(metrics, metric->name) &&
        !add_metric(reader, &(struct metric_setting){.name = metric->name}))
        return false;
    metrics->source =
        arena_more(reader->arena, metrics->source, metrics->source_count, sizeof *metric);
    metrics->source[metrics->source_count++] = *metric;
    return true;
}

static bool add_definition(const struct reader *reader, const char *text, const char *adapter)
{
    struct metric metric;
    if (!metric_parse(&metric, text, reader->error, reader->size))
        return false;
    metric.adapter = adapter;
    bool good = strlen(metric.unit) < METRIC_UNIT_SIZE;
    if (!good)
        snprintf(reader->error, reader->size, "metric %s: its unit has more than %d characters",
                 metric.name, METRIC_UNIT_SIZE - 1);
    const bool of_package = metric.source == METRIC_ENERGY && !is_idle_share(&metric);
    if (good && reader->metrics)
        good = add_source(reader, &metric);
    if (!good || !reader->metrics)
        metric_free(&metric);
    // No figure of a package without what it takes when nothing runs.
    if (good && of_package && reader->metrics && !find_metric(reader->metrics, "energy_idle_share"))
        return add_definition(reader, "energy:idle-share", adapter);
    return good;
}

static bool add_builtin(const struct reader *reader, const char *name)
{
    const struct builtin_metric *builtin = builtin_metric(name);
    if (builtin) {
        const struct metric_setting chosen = {
            .name = builtin->name, .builtin = builtin, .chosen = true};
        if (!reader->metrics)
            return true;
        return find_metric(reader->metrics, name) ? is_twice(reader, name)
                                                  : add_metric(reader, &chosen);
    }
    const char *near = builtin_metric_nearest(name);
    snprintf(reader->error, reader->size,
             "no metric is named '%.*s'%s%s%s: give names such as wall_s,max_rss_bytes, or all, "
             "or a definition such as 'rate=stdout:/rate: ([0-9.]+)/,better=higher'",
             METRIC_NAME_SIZE - 1, name, near ? " (did you mean " : "", near ? near : "",
             near ? "?)" : "");
    return false;
}

// Each name of a list with commas; `all` is those that every record has.
static bool add_names(const struct reader *reader, const char *list)
{
    char *rest = arena_format(reader->arena, "%s", list);
    for (const char *name; (name = strsep(&rest, ","));) {
        const bool all = strcmp(name, "all") == 0;
        if (!all && !add_builtin(reader, name))
            return false;
        for (size_t i = 0; all && i < METRICS_ALWAYS; i++)
            if (!add_builtin(reader, builtin_metrics[i].name))
                return false;
    }
    return true;
}

static bool add_adapter(const struct reader *reader, const char *text)
{
    const struct option_list definitions =
        adapter_definitions(reader->arena, text, reader->error, reader->size);
    const char *adapter = adapter_name(reader->arena, text);
    bool good = definitions.count > 0;
    for (size_t i = 0; good && i < definitions.count; i++)
        good = add_definition(reader, definitions.item[i], adapter);
    return good;
}

static bool add_text(const struct reader *reader, const char *text)
{
    return text[0] == '@'               ? add_adapter(reader, text)
           : metric_is_definition(text) ? add_definition(reader, text, NULL)
                                        : add_names(reader, text);
}

bool metrics_check(const char *text, char *error, size_t size)
{
    struct arena arena = {0};
    const struct reader reader = {.arena = &arena, .error = error, .size = size};
    const bool good = add_text(&reader, text);
    arena_free(&arena);
    return good;
}

// ---- which variant has which ----

static void check_variant(const struct metric *metric, const struct variants *variants,
                          struct arena *arena)
{
    const char *names = ""; // "a, b, c": each once, whatever its parameters
    if (!variants->named)
        usage_error("--metric %s@%s: there are no variants: give two --variant, or leave @%s out",
                    metric->name, metric->variant, metric->variant);
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        if (strcmp(variant->given, metric->variant) == 0)
            return;
        if (variant->combination == 0)
            names = arena_format(arena, "%s%s%s", names, i == 0 ? "" : ", ", variant->given);
    }
    usage_error("--metric %s@%s: no variant is named %s: it is one of %s", metric->name,
                metric->variant, metric->variant, names);
}

const char *metrics_lacking(const struct metrics *metrics, const struct metric_setting *metric)
{
    const struct variants *variants = metrics->variants;
    if (metric->builtin || find_source(metrics, metric->name, NULL))
        return NULL;
    for (size_t i = 0; i < variants->count; i++)
        if (!find_source(metrics, metric->name, variants->variant[i].given))
            return variants->variant[i].given;
    return NULL;
}

// What one source says of its metric holds for all: what the first has not learned from the
// others it has after one round, and those from it after another.
static void agree(struct metrics *metrics, const char *name)
{
    char error[512];
    struct metric *first = NULL;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < metrics->source_count; i++) {
            struct metric *one = &metrics->source[i];
            if (strcmp(one->name, name) != 0)
                continue;
            first = !first ? one : first;
            if (!metric_agree(first, one, error, sizeof error))
                usage_error("%s", error);
        }
}

static void join_sources(struct metrics *metrics, struct arena *arena)
{
    for (size_t i = 0; i < metrics->source_count; i++)
        if (metrics->source[i].variant)
            check_variant(&metrics->source[i], metrics->variants, arena);
    for (size_t i = 0; i < metrics->count; i++)
        if (!metrics->metric[i].builtin)
            agree(metrics, metrics->metric[i].name);
    for (size_t i = 0; i < metrics->source_count; i++)
        find_metric(metrics, metrics->source[i].name)->chosen =
            metrics->source[i].role == ROLE_RESULT;
}

// ---- which decide ----

static bool may_decide(const struct metrics *metrics, const struct metric_setting *metric)
{
    const struct metric *source = find_source(metrics, metric->name, NULL);
    return metric->chosen && !metrics_lacking(metrics, metric) &&
           !(source && is_idle_share(source));
}

static void decide_by(struct metrics *metrics, const char *list, const char *name)
{
    const char *names[MOST + 1];
    size_t count = 0;
    for (size_t i = 0; i < metrics->count; i++)
        if (may_decide(metrics, &metrics->metric[i]))
            names[count++] = metrics->metric[i].name;
    names[count] = NULL;
    struct metric_setting *metric = find_metric(metrics, name);
    if (metric && may_decide(metrics, metric)) {
        metric->decides = true;
        return;
    }
    const char *variant = metric ? metrics_lacking(metrics, metric) : NULL;
    if (variant)
        usage_error("--decide %s: variant %s has no %s: name metrics that all variants have, or "
                    "add --metric '%s@%s=SOURCE'",
                    list, variant, name, name, variant);
    usage_error("--decide %s: '%s' is none of the metrics of --metric%s: name some of those", list,
                name, nearest_hint(name, names).text);
}

void metrics_make(struct metrics *metrics, struct arena *arena, const struct option_list *texts,
                  const char *deciding, const struct variants *variants)
{
    char error[1024];
    const struct reader reader = {metrics, arena, error, sizeof error};
    *metrics = (struct metrics){.variants = variants};
    for (size_t i = 0; i < texts->count; i++)
        if (!add_text(&reader, texts->item[i]))
            usage_error("--metric %s: %s", texts->item[i], error);
    join_sources(metrics, arena);
    // Without a result that all variants have, it is the wall time.
    bool decidable = false;
    for (size_t i = 0; i < metrics->count; i++)
        decidable = decidable || may_decide(metrics, &metrics->metric[i]);
    if (!decidable)
        (void)add_builtin(&reader, builtin_metrics[WALL_S].name);
    // All of the results, or those of the list.
    for (size_t i = 0; i < metrics->count; i++)
        metrics->metric[i].decides = !deciding && may_decide(metrics, &metrics->metric[i]);
    char *rest = deciding ? arena_format(arena, "%s", deciding) : NULL;
    for (char *name; (name = strsep(&rest, ","));)
        decide_by(metrics, deciding, name);
}

void metrics_check_hyperfine(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const struct builtin_metric *builtin = metrics->metric[i].builtin;
        if (!builtin || builtin >= builtin_metrics + METRICS_ALWAYS)
            usage_error("--engine hyperfine does not measure %s: leave --engine out, or choose of "
                        "wall_s, user_s, system_s and max_rss_bytes",
                        metrics->metric[i].name);
    }
}

void metrics_to_json(const struct metrics *metrics, json_t *settings)
{
    json_t *names = json_array(), *definitions = json_array(), *deciding = json_array();
    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric_setting *one = &metrics->metric[i];
        if (one->chosen)
            json_array_append_new(names, json_string(one->name));
        if (one->decides)
            json_array_append_new(deciding, json_string(one->name));
    }
    for (size_t i = 0; i < metrics->source_count; i++)
        json_array_append_new(definitions, metric_to_json(&metrics->source[i]));
    json_object_set_new(settings, "metric", names);
    json_object_set_new(settings, "metrics", definitions);
    json_object_set_new(settings, "decide", deciding);
}

const char *metrics_counters(const struct metrics *metrics)
{
    // The hardware's are counted in any case: they say why a run is slow.
    for (size_t i = 0; i < metrics->count; i++) {
        const struct builtin_metric *builtin = metrics->metric[i].builtin;
        if (builtin && builtin->counters == NEEDS_SOFTWARE_COUNTERS)
            return "all";
    }
    return NULL;
}

bool metrics_need_output(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->source_count; i++)
        if (metric_is_output(&metrics->source[i]))
            return true;
    return false;
}

bool metrics_need_stdout(const struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->source_count; i++)
        if (metrics->source[i].source == METRIC_STDOUT)
            return true;
    return false;
}

// As meter will do, below the same group.
static void check_tree_memory(const struct builtin_metric *metric)
{
    struct group group;
    struct group_usage usage = {.has_peak = false};
    if (group_find(&group, "jostle-experiment", GROUP_V2))
        group_read(&group, &usage);
    group_give_up(&group);
    if (!usage.has_peak)
        usage_error("metric %s: this machine counts none: it takes a cgroup with the memory "
                    "controller of cgroup v2, Linux 5.19 or later: choose max_rss_bytes, of the "
                    "largest process",
                    metric->name);
}

// Ends the program, with errno.
static void __attribute__((noreturn)) refuse_counter(const char *name)
{
    if (errno == EACCES || errno == EPERM)
        usage_error("metric %s: counting is not allowed here: set sysctl "
                    "kernel.perf_event_paranoid to 2 or less, or choose another metric",
                    name);
    usage_error("metric %s: this machine counts none: the kernel has no such counter here (%s), as "
                "in many virtual machines: choose another metric",
                name, strerror(errno));
}

static void check_counter(const struct builtin_metric *metric)
{
    if (metric->counters == NEEDS_TREE_MEMORY) {
        check_tree_memory(metric);
        return;
    }
    if (metric->counters == NEEDS_NO_COUNTERS ||
        perf_event_counts(text_after(metric->member[0], "counters.")))
        return;
    refuse_counter(metric->name);
}

static void check_event(const struct metric *metric)
{
    struct perf_ratio ratio;
    char error[256];
    int fd[2];
    bool user_only;
    if (!perf_ratio_read(&ratio, metric->expression, error, sizeof error))
        usage_error("metric %s: %s", metric->name, error);
    if (!perf_ratio_open(&ratio, fd, &user_only))
        refuse_counter(metric->name);
    for (size_t i = 0; i < ratio.count; i++)
        (void)close(fd[i]);
}

// What the packages take when nothing runs, which it does now.
static void find_idle_power(struct metrics *metrics)
{
    double idle_w = NAN;
    for (size_t i = 0; i < metrics->source_count; i++) {
        struct metric *metric = &metrics->source[i];
        if (metric->source != METRIC_ENERGY || !isnan(metric->idle_w))
            continue;
        if (isnan(idle_w))
            idle_w = energy_idle_w();
        if (isnan(idle_w))
            usage_error("metric %s: the energy of the packages cannot be read here (%s): be root, "
                        "or have a machine with powercap, which few virtual ones have",
                        metric->name, strerror(errno));
        metric->idle_w = idle_w;
    }
}

void metrics_check_machine(struct metrics *metrics, bool has_service)
{
    char error[512];
    for (size_t i = 0; i < metrics->count; i++) {
        const struct builtin_metric *builtin = metrics->metric[i].builtin;
        if (!builtin)
            continue;
        if (!has_service && text_after(builtin->member[0], "service."))
            usage_error("metric %s: it is of a service: give --service, or choose another metric",
                        builtin->name);
        check_counter(builtin);
    }
    for (size_t i = 0; i < metrics->source_count; i++) {
        const struct metric *metric = &metrics->source[i];
        if (metric->is_jq && !metric_jq_check(metric, error, sizeof error))
            usage_error("%s", error);
        if (metric->source == METRIC_PERF)
            check_event(metric);
    }
    find_idle_power(metrics);
}

void metrics_free(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->source_count; i++)
        metric_free(&metrics->source[i]);
    metrics->count = metrics->source_count = 0;
}
