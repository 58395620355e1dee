// What the commands slowdown (without a load), protect and capacity add to an experiment.
#include "experiment.h"

#include "common/child.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"
#include "harness/stats/objective.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000LL

// Fewer runs of a condition have no interval of signed ranks (stats/ranks.h).
enum { FEWEST_RUNS = 6, MOST_RUNS = 100, LONG_S = 60, QUICK_S = 15 };

// A sequential work file of this size is written within a second or two, and longer than what the
// caches of a disk hold.
static const char *const neighbours[] = {
    "cpu=cpu --percent 50",          "memory=mem --limit 50%",
    "cache=cache --size 50",         "disk=io --sequential --limit 50% --file-size 512M",
    "network=net --tcp --limit 50%", // of a service alone: what uses no network is not slowed by it
};

enum { NEIGHBOURS = sizeof neighbours / sizeof neighbours[0] };

bool panorama_wanted(const struct experiment *experiment, const struct option_list *loads)
{
    const struct session *session = &experiment->session;
    const bool wanted = loads->count == 0 && !experiment->cell &&
                        experiment->settings.variant.count < 2 && session->revisions.count < 2 &&
                        experiment->settings.parameter_list.count == 0 &&
                        experiment->settings.parameter_scan.count == 0;
    if (!wanted && (session->quick || session->for_ns > 0))
        usage_error("--%s is for a slowdown without --load and --variant: give --max-time",
                    session->quick ? "quick" : "for");
    if (session->quick && session->for_ns > 0)
        usage_error("--quick is --for %ds: give one of them", QUICK_S);
    return wanted;
}

// Whether loadgen takes it on this machine: a work file needs room on a disk.
static bool is_possible(struct arena *arena, const char *spec)
{
    char path[PATH_MAX];
    const char *why;
    size_t count;
    OWNED char **words = words_split(strchr(spec, '=') + 1, &count, &why), *output = NULL;
    struct option_list argv = {0};
    list_add(&argv, arena, child_path("loadgen", path));
    list_add_all(&argv, arena, (const char *const *)words, count);
    list_add(&argv, arena, "--dry-run");
    return child_run(argv.item, -1, &output) == 0;
}

static void set_limits(struct experiment *experiment)
{
    struct settings *settings = &experiment->settings;
    const struct session *session = &experiment->session;
    const struct options *given = experiment->given;
    if (!options_given(given, "runs") && !options_given(given, "min-runs"))
        settings->min_runs = settings->max_runs > 0 && settings->max_runs < FEWEST_RUNS
                                 ? settings->max_runs
                                 : FEWEST_RUNS;
    if (options_given(given, "max-time"))
        return;
    if (!options_given(given, "runs") && !options_given(given, "max-runs"))
        settings->max_runs = MOST_RUNS;
    settings->max_time_ns = (session->quick ? QUICK_S : LONG_S) * NS_PER_S;
    if (session->for_ns > 0)
        settings->max_time_ns = session->for_ns;
    experiment->panorama = true;
}

struct option_list panorama_loads(struct experiment *experiment)
{
    struct option_list loads = {0};
    struct settings *settings = &experiment->settings;
    const size_t count = settings->service ? NEIGHBOURS : NEIGHBOURS - 1;
    for (size_t i = 0; i < count; i++)
        if (is_possible(&experiment->arena, neighbours[i]))
            list_add(&loads, &experiment->arena, neighbours[i]);
        else if (!experiment->session.quiet)
            complain("%.*s is left out: this machine has no such load, as loadgen has just said",
                     (int)strcspn(neighbours[i], "="), neighbours[i]);
    set_limits(experiment);
    // The neighbours are where the target is, also in a command line that is made of this one.
    if (settings->target_cpus && !settings->load_cpus && !settings->place &&
        !settings->place_cpus) {
        settings->load_cpus = settings->target_cpus;
        json_array_append_new(json_object_get(experiment->asked, "options"),
                              json_pack("[s, s]", "--load-cpus", settings->load_cpus));
    }
    return loads;
}

#define TARGET "target:"

// All that was found to try.
struct tries {
    struct experiment *experiment;
    struct option_list texts; // SETTINGS as in brackets before a load
};

// Adds it where this machine lets us set it; else it is among what was left out, with the reason.
static void consider(struct tries *tries, const char *text)
{
    struct experiment *experiment = tries->experiment;
    struct adjustment adjustment;
    char error[SETTING_ERROR];
    (void)adjustment_read(&adjustment, &experiment->arena, text,
                          arena_format(&experiment->arena, "[%s]", text),
                          &experiment->settings.setting);
    if (adjustment_is_possible(&adjustment, error, sizeof error)) {
        list_add(&tries->texts, &experiment->arena, text);
        return;
    }
    json_array_append_new(experiment->left_out,
                          json_pack("{s:s, s:o}", "setting", text, "why", text_to_json(error)));
}

static void part_text(const struct cpu_list *all, size_t first, size_t count, char *text,
                      size_t size)
{
    struct cpu_list part = {0};
    for (size_t i = first; i < first + count; i++)
        cpus_add(&part, all->cpu[i]);
    (void)cpus_format(&part, text, size);
}

// The CPUs that target and loads have between them.
static void shared_cpus(const struct settings *settings, struct cpu_list *cpus)
{
    struct cpu_list of_loads;
    if (settings->target_cpus && settings->load_cpus &&
        cpus_parse(settings->target_cpus, cpus) == 0 &&
        cpus_parse(settings->load_cpus, &of_loads) == 0) {
        for (unsigned i = 0; i < of_loads.count; i++)
            cpus_add(cpus, of_loads.cpu[i]);
    } else if (cpus_allowed(cpus) != 0)
        cpus->count = 1;
}

// What there is to try on any machine.
static void consider_all(struct tries *tries, const struct option_list *loads)
{
    struct arena *arena = &tries->experiment->arena;
    struct cpu_list cpus;
    shared_cpus(&tries->experiment->settings, &cpus);
    consider(tries, "nice=19");
    consider(tries, "sched=idle");
    consider(tries, "group=cgroup");
    consider(tries, "cpu.weight=10");
    consider(tries, arena_format(arena, "cpu.max=%u%%", cpus.count * 50));
    bool any_disk = false;
    for (size_t i = 0; i < loads->count; i++)
        any_disk = any_disk || strstr(loads->item[i], "io ") || strstr(loads->item[i], "exec:");
    if (any_disk) {
        consider(tries, "ionice=idle");
        consider(tries, "io.weight=10");
    }
    consider(tries, "resctrl=MB:0=20");
    consider(tries, TARGET "nice=-10");
    if (cpus.count < 2)
        return;
    // CPUs of their own: the first half for the target, the others for the loads.
    char first[CPUS_TEXT], second[CPUS_TEXT];
    part_text(&cpus, 0, cpus.count / 2, first, sizeof first);
    part_text(&cpus, cpus.count / 2, cpus.count - cpus.count / 2, second, sizeof second);
    consider(tries, arena_format(arena, TARGET "cpus=%s cpus=%s", first, second));
}

static void take_given(struct tries *tries)
{
    struct experiment *experiment = tries->experiment;
    const struct option_list *given = &experiment->session.tries;
    for (size_t i = 0; i < given->count; i++) {
        struct adjustment adjustment;
        const char *text = given->item[i];
        const char *rest = adjustment_read(&adjustment, &experiment->arena, "with --try",
                                           arena_format(&experiment->arena, "[%s]", text),
                                           &experiment->settings.setting);
        if (adjustment_is_none(&adjustment) || *rest != '\0')
            usage_error("--try '%s': no setting: give one such as --try nice=19", text);
        for (size_t k = 0; k < tries->texts.count; k++)
            if (strcmp(tries->texts.item[k], text) == 0)
                usage_error("--try '%s' is given twice: leave one of them out", text);
        adjustment_try(&adjustment, "with --try");
        list_add(&tries->texts, &experiment->arena, text);
    }
}

// A setting as a part of the name of a condition.
static const char *label(struct arena *arena, const char *text)
{
    char *name = arena_take(arena, strlen(text) + 1);
    size_t length = 0;
    for (const char *at = text; *at != '\0' && length < 60; at++)
        name[length++] = strchr("=: ,/;", *at) ? '-' : *at;
    name[length] = '\0';
    return name;
}

// The settings of the target alone, as they are written; NULL: there are none.
static const char *of_target(struct arena *arena, const char *text, const struct option_list *own)
{
    struct adjustment adjustment;
    const char *all = NULL;
    (void)adjustment_read(&adjustment, arena, text, arena_format(arena, "[%s]", text), own);
    for (size_t i = 0; i < adjustment.target.count; i++)
        all = arena_format(arena, "%s%s" TARGET "%s", !all ? "" : all, !all ? "" : " ",
                           adjustment.target.item[i]);
    return all;
}

struct option_list protect_loads(struct experiment *experiment, const struct option_list *given)
{
    struct arena *arena = &experiment->arena;
    struct tries tries = {.experiment = experiment};
    struct option_list loads = {0};
    if (given->count == 0)
        usage_error("against which neighbour? Give --load NAME=SPEC, such as --load 'cpu "
                    "--percent 100'");
    experiment->left_out = json_array();
    if (experiment->session.tries.count > 0)
        take_given(&tries);
    else
        consider_all(&tries, given);
    for (size_t i = 0; i < given->count; i++) {
        const char *name, *spec = load_name_read(arena, given->item[i], &name);
        if (*spec == '[')
            usage_error("--load %s: protect adds the settings itself: give them with --try",
                        given->item[i]);
        list_add(&loads, arena, given->item[i]);
        for (size_t k = 0; k < tries.texts.count; k++)
            list_add(&loads, arena,
                     arena_format(arena, "%s.%s=[%s] %s", name, label(arena, tries.texts.item[k]),
                                  tries.texts.item[k], spec));
    }
    for (size_t k = 0; k < tries.texts.count; k++) {
        const char *target = of_target(arena, tries.texts.item[k], &experiment->settings.setting);
        if (target)
            list_add(&loads, arena,
                     arena_format(arena, "alone.%s=[%s]", label(arena, target), target));
    }
    return loads;
}

// ---- capacity

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

static void check_place(const struct experiment *experiment, const struct vary *vary)
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

void capacity_check(const struct experiment *experiment)
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
