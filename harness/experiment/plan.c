// Writes the plan that the shell follows: what to start, with which words.

#include "experiment.h"

#include "common/child.h"
#include "common/file.h"
#include "common/left_on.h"
#include "common/lock.h"
#include "common/messages.h"
#include "common/text.h"
#include "harness/record/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An option and its value; nothing where that is NULL.
static void put_option(const char *key, const char *option, const char *value)
{
    if (!value)
        return;
    pair_put(key, option);
    pair_put(key, value);
}

static void put_list(const char *key, const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        pair_put(key, list->item[i]);
}

static void put_flag(const char *key, bool value)
{
    if (value)
        pair_put(key, "1");
}

static const char *const export_formats[EXPORTS] = {
    "hyperfine", "hyperfine-csv", "hyperfine-markdown", "hyperfine-asciidoc", "hyperfine-orgmode"};

void plan_write_session(const struct plan_request *experiment)
{
    const struct session *session = &experiment->session;
    pair_put("folder", experiment->folder.path);
    put_flag("created", experiment->folder.created);
    put_flag("away", experiment->folder.away);
    put_flag("named", session->output != NULL);
    put_flag("quiet", session->quiet);
    put_flag("verbose", session->verbose);
    put_flag("show_output", session->show_output);
    pair_put("json", session->json);
    for (size_t i = 0; i < EXPORTS; i++)
        for (size_t k = 0; k < session->exports[i].count; k++) {
            pair_put("export_format", export_formats[i]);
            pair_put("export_file", session->exports[i].item[k]);
        }
    put_flag("plain", session->style == STYLE_BASIC || session->style == STYLE_NOCOLOR);
    put_flag("still", session->style == STYLE_BASIC);
    put_flag("cell", session->cell != NULL);
    put_flag("panorama", experiment->panorama);
    put_flag("resume", session->resume);
    put_flag("complete", experiment->complete);
}

void plan_write_resume(const struct plan_request *experiment, const char *folder)
{
    if (!experiment->session.output)
        put_option("resume_word", "--output", folder);
    if (!experiment->session.resume)
        pair_put("resume_word", "--resume");
}

static void put_settings(struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    char kept[PATH_MAX];
    // Settings of the kernel make control groups.
    bool adjusts = false;
    for (size_t i = 0; i < experiment->conditions.count; i++)
        adjusts = adjusts || !adjustment_is_none(&experiment->conditions.condition[i].adjustment);
    put_flag("settings", adjusts);
    if (left_on_path("", kept) == 0)
        pair_put("settings_kept", kept);
    pair_put("input", experiment->input);
    put_flag("cold", settings->cold);
    put_list("cold_path", &settings->cold_path);
    pair_put("max_runs", arena_format(&experiment->arena, "%" PRIu64, settings->max_runs));
    if (settings->max_time_ns > 0)
        pair_put("max_time_us",
                 arena_format(&experiment->arena, "%" PRId64, settings->max_time_ns / 1000));
    if (settings->runs_before_time > 0)
        pair_put("runs_before_time",
                 arena_format(&experiment->arena, "%" PRIu64,
                              settings->runs_before_time * experiment->combinations.count));
}

// The combination that meter's command of that number is the first of.
static const struct combination *combination_of(const struct plan_request *experiment,
                                                size_t command)
{
    const struct combinations *combinations = &experiment->combinations;
    size_t i = 0;
    while (combinations->combination[i].command != command)
        i++;
    return &combinations->combination[i];
}

static const struct variant *variant_of(const struct plan_request *experiment, size_t command)
{
    return &experiment->variants.variant[combination_of(experiment, command)->variant];
}

// What meter has to count, and to find in the output.
static void put_metrics(struct plan_request *experiment)
{
    const struct metrics *metrics = &experiment->metrics;
    const char *counters = metrics_counters(metrics);
    put_option("meter", "--counters", counters);
    for (size_t i = 0; i < metrics->source_count; i++) {
        // meter knows commands by their number, each combination of a variant.
        struct metric metric = metrics->source[i];
        const char *variant = metric.variant;
        for (size_t k = 0; k < (variant ? experiment->combinations.commands : 1); k++) {
            if (variant && strcmp(variant_of(experiment, k)->given, variant) != 0)
                continue;
            metric.variant = variant ? arena_format(&experiment->arena, "%zu", k) : NULL;
            put_option("meter", "--metric",
                       arena_keep(&experiment->arena, metric_definition(&metric)));
        }
    }
    put_flag("extracts", metrics_need_output(metrics));
}

// Whether nobody wants it.
static bool output_is_discarded(const struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    const bool shown = experiment->session.show_output && settings->engine == ENGINE_METER;
    return !settings->out && !shown && !metrics_need_stdout(&experiment->metrics);
}

// Where the target's output goes. What is searched for metrics is shown after the run.
static void put_output(struct plan_request *experiment)
{
    const char *folder = experiment->folder.path;
    const bool shown = experiment->session.show_output;
    const struct settings *settings = &experiment->settings;
    const bool inherited = settings->out && strcmp(settings->out, "inherit") == 0;
    put_flag("show_stdout", inherited);
    pair_put("stderr", settings->errors);
    put_option("meter", "--stdout", inherited ? NULL : settings->out);
    put_option("meter", "--stderr", settings->errors);
    if (output_is_discarded(experiment))
        put_option("meter", "--stdout", file_sink());
    if (metrics_need_output(&experiment->metrics)) {
        put_option("meter", "--keep", folder);
        if (shown)
            pair_put("meter", "--show-output");
        return;
    }
    if (shown && experiment->settings.engine == ENGINE_METER)
        return;
    if (!settings->errors)
        put_option("meter", "--stderr-tail",
                   arena_format(&experiment->arena, "%s/target.stderr", folder));
}

static void put_meter_options(struct plan_request *experiment)
{
    struct arena *arena = &experiment->arena;
    const struct settings *settings = &experiment->settings;
    pair_put("meter", "--serve");
    if (settings->timeout_ns > 0)
        put_option("meter", "--timeout",
                   arena_format(arena, "%.9f", (double)settings->timeout_ns / 1e9));
    put_option("meter", "--cpus", experiment->placed.target_cpus);
    // The target leaves, in some condition, the group in which meter counts its time.
    bool moves = false;
    for (size_t i = 0; i < experiment->conditions.count; i++)
        moves = moves || settings_move(&experiment->conditions.condition[i].adjustment.target);
    if (moves)
        put_option("meter", "--accounting", "rusage");
    for (size_t i = 0; i < experiment->accounts; i++) {
        put_option("meter", "--account", experiment->account[i]);
    }
    if (settings->nice != OPTION_NOT_GIVEN)
        put_option("meter", "--nice", arena_format(arena, "%" PRId64, settings->nice));
    put_option("meter", "--stdin", experiment->input);
    if (settings->vary)
        put_option("meter", "--vary",
                   arena_format(arena, "%.*s", (int)strcspn(settings->vary, "="), settings->vary));
    put_metrics(experiment);
    put_output(experiment);
}

// With hyperfine as the engine, meter runs it for its time-out and its care for
// descendants; hyperfine's figures replace meter's.
static struct option_list hyperfine_words(struct plan_request *experiment,
                                          const struct variant *variant)
{
    struct arena *arena = &experiment->arena;
    const bool variables = words_assignment(variant->words.item[0]);
    const char *const options[] = {
        "hyperfine",
        "-N",
        "--runs",
        "1",
        "--ignore-failure",
        "--style",
        "none",
        "--export-json",
        arena_format(arena, "%s/hyperfine.json", experiment->folder.path)};
    const char *const input[] = {"--input", experiment->input};
    struct option_list words = {0};
    list_add_all(&words, arena, options, sizeof options / sizeof options[0]);
    // It gives its own stdin to nobody.
    list_add_all(&words, arena, input, experiment->input ? 2 : 0);
    list_add(&words, arena, "--");
    list_add(&words, arena,
             variables ? arena_format(arena, "env %s", variant->text) : variant->text);
    return words;
}

// The words with `start` and the settings of the target behind its variables.
static struct option_list adjusted(struct plan_request *experiment, struct option_list words,
                                   const struct option_list *settings)
{
    struct arena *arena = &experiment->arena;
    char path[PATH_MAX];
    struct option_list longer = {0};
    size_t i = 0;
    while (i + 1 < words.count && words_assignment(words.item[i]))
        list_add(&longer, arena, words.item[i++]);
    list_add(&longer, arena, arena_format(arena, "%s", child_path("start", path)));
    for (size_t k = 0; k < settings->count; k++) {
        list_add(&longer, arena, "--set");
        list_add(&longer, arena, settings->item[k]);
    }
    list_add(&longer, arena, "--");
    list_add_all(&longer, arena, words.item + i, words.count - i);
    return longer;
}

// Several, or one with variables of its own.
static bool needs_commands(const struct plan_request *experiment)
{
    const struct variants *variants = &experiment->variants;
    const struct variant *first = &variants->variant[0];
    return variants->named || experiment->combinations.commands > 1 || first->folder ||
           first->words.item[0] != variant_program(first);
}

static void put_meter(struct plan_request *experiment)
{
    const bool several = needs_commands(experiment);
    put_meter_options(experiment);
    if (several)
        pair_put("meter", "--commands");
    pair_put("meter", "--");
    for (size_t i = 0; i < experiment->combinations.commands; i++) {
        const struct option_list *settings =
            &combination_of(experiment, i)->condition->adjustment.target;
        const struct variant *variant = variant_of(experiment, i);
        struct option_list words = experiment->settings.engine == ENGINE_METER
                                       ? variant->words
                                       : hyperfine_words(experiment, variant);
        if (settings->count > 0)
            words = adjusted(experiment, words, settings);
        if (several) {
            pair_put("meter", variant->folder ? variant->folder : ".");
            pair_put("meter", arena_format(&experiment->arena, "%zu", words.count));
        }
        put_list("meter", &words);
    }
}

// What measures the machine before each block, where the target runs and with its priority.
static void put_probe(struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    if (settings->no_probe)
        return;
    pair_put("probe_word", "serve");
    put_option("probe_word", "--cpus", experiment->placed.target_cpus);
    if (settings->nice != OPTION_NOT_GIVEN)
        put_option("probe_word", "--nice",
                   arena_format(&experiment->arena, "%" PRId64, settings->nice));
}

// Where only a shell understands the service, one runs it, as it does the target. The words
// were checked when they were given.
static struct option_list service_command(struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    struct arena *arena = &experiment->arena;
    const char *name = settings->shell ? settings->shell : SHELL_DEFAULT, *why;
    const bool needed = words_need_shell(settings->service) && strcmp(name, SHELL_NONE) != 0;
    const struct shell shell = needed ? shell_read(arena, name) : (struct shell){0};
    struct option_list all = {0};
    size_t count = 0;
    list_add_all(&all, arena, shell.words.item, shell.words.count);
    if (needed) {
        list_add(&all, arena, settings->service);
        return all;
    }
    char **words = words_split(settings->service, &count, &why);
    arena_keep(arena, words);
    list_add_all(&all, arena, (const char *const *)words, count);
    return all;
}

// The server as it is, and with the settings of each condition that has some of it: commands of its
// meter, numbered in that order.
static void put_service_commands(struct plan_request *experiment)
{
    const struct conditions *conditions = &experiment->conditions;
    const struct option_list plain = service_command(experiment);
    if (!conditions_set_service(conditions)) {
        pair_put("service_word", "--");
        put_list("service_word", &plain);
        return;
    }
    pair_put("service_word", "--commands");
    pair_put("service_word", "--");
    for (size_t i = 0; i <= conditions->count; i++) {
        const struct option_list *settings =
            i == 0 ? NULL : &conditions->condition[i - 1].adjustment.service;
        if (settings && settings->count == 0)
            continue;
        const struct option_list words = settings ? adjusted(experiment, plain, settings) : plain;
        pair_put("service_word", ".");
        pair_put("service_word", arena_format(&experiment->arena, "%zu", words.count));
        put_list("service_word", &words);
    }
}

// Whether the server leaves, in some condition, the group in which its meter counts its time.
static bool moves_service(const struct plan_request *experiment)
{
    for (size_t i = 0; i < experiment->conditions.count; i++)
        if (settings_move(&experiment->conditions.condition[i].adjustment.service))
            return true;
    return false;
}

// The meter that keeps the service.
static void put_service(struct plan_request *experiment)
{
    struct arena *arena = &experiment->arena;
    const struct settings *settings = &experiment->settings;
    const char *folder = experiment->folder.path;
    if (!settings->service)
        return;
    const char *const options[] = {
        "--service",
        "--ready",
        settings->ready,
        "--ready-timeout",
        arena_format(arena, "%.9f", (double)settings->ready_timeout_ns / 1e9),
        "--stop-signal",
        settings->stop_signal,
        "--stdout",
        arena_format(arena, "%s/service.stdout", folder),
        "--stderr",
        arena_format(arena, "%s/service.stderr", folder)};
    pair_put("service", settings->service);
    put_flag("keep_service", settings->keep_service);
    if (!settings->keep_service)
        pair_put("service_warmup", arena_format(arena, "%ju", (uintmax_t)settings->service_warmup));
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        pair_put("service_word", options[i]);
    put_option("service_word", "--cpus", experiment->placed.service_cpus);
    if (moves_service(experiment))
        put_option("service_word", "--accounting", "rusage");
    put_flag("service_settings", conditions_set_service(&experiment->conditions));
    put_service_commands(experiment);
}

static bool has_own_setting(const struct plan_request *experiment, const char *name)
{
    for (size_t i = 0; i < experiment->combinations.count; i++) {
        const struct combination *one = &experiment->combinations.combination[i];
        for (size_t k = 0; k < one->condition->adjustment.own.count; k++)
            if (strcmp(one->condition->adjustment.own.item[k], name) == 0)
                return true;
    }
    return false;
}

// Each --setting that a condition has.
static void put_own_settings(struct plan_request *experiment)
{
    const struct option_list *own = &experiment->settings.setting;
    for (size_t i = 0; i < own->count; i++) {
        const struct own_setting setting = own_setting_read(&experiment->arena, own->item[i]);
        if (!has_own_setting(experiment, setting.name))
            continue;
        pair_put("setting", setting.name);
        pair_put("setting_on", setting.on);
        pair_put("setting_off", setting.off);
        pair_put("setting_note", setting.note);
        for (size_t k = 0; k < sizeof setting.locks / sizeof *setting.locks; k++)
            pair_put("setting_lock", setting.locks[k]);
    }
}

// What is measured, and which of meter's commands it is.
static void put_conditions(struct plan_request *experiment)
{
    const struct conditions *conditions = &experiment->conditions;
    for (size_t i = 0; i < experiment->combinations.count; i++) {
        const struct combination *one = &experiment->combinations.combination[i];
        pair_put("condition", one->name);
        for (size_t k = 0; k < one->condition->adjustment.own.count; k++)
            pair_put("condition_setting", one->condition->adjustment.own.item[k]);
        if (one->condition->adjustment.target.count > 0 ||
            one->condition->adjustment.service.count > 0)
            pair_put("condition_sweep", "1");
        if (one->condition->adjustment.service.count > 0)
            pair_put("condition_service",
                     arena_format(&experiment->arena, "%zu",
                                  conditions_service_number(conditions, one->condition)));
        if (needs_commands(experiment))
            pair_put("condition_variant", arena_format(&experiment->arena, "%zu", one->command));
        if (experiment->variants.named)
            pair_put("condition_load", one->condition->name);
    }
    for (size_t i = 0; i < experiment->combinations.commands; i++) {
        const struct variant *variant = variant_of(experiment, i);
        const bool first = i < experiment->variants.count;
        pair_put("command_text", variant->text);
        pair_put("command_folder", variant->folder);
        pair_put("command_setup", first ? variant->setup : NULL);
        pair_put("command_prepare", variant->prepare);
        pair_put("command_conclude", variant->conclude);
        pair_put("command_cleanup", first ? variant->cleanup : NULL);
    }
}

static void put_load(struct plan_request *experiment, const struct condition *condition,
                     const struct load *load)
{
    struct arena *arena = &experiment->arena;
    // --load-cpus are this machine's numbers, and the other nodes' as well; --place is about this
    // machine alone.
    const char *cpus = load->node ? experiment->settings.load_cpus : experiment->placed.load_cpus;
    char path[PATH_MAX];
    pair_put("load", load->name);
    pair_put("load_condition", condition->name);
    pair_put("load_node", !load->node ? "" : load->node);
    put_flag("load_listens", load->description.listens);
    put_flag("load_percent", load_has_percent(load));
    static const struct option_list none = {0};
    const struct option_list *settings = &condition->adjustment.load;
    const struct option_list before =
        load_surroundings(arena, &experiment->settings, cpus, settings);
    put_list("load_setting", settings);
    if (load->calibrated_by.count > 0) {
        const struct option_list plain =
            load_surroundings(arena, &experiment->settings, cpus, &none);
        put_list("load_calib_word", &plain);
        pair_put("load_calib_word", child_path("loadgen", path));
        put_list("load_calib_word", &load->calibrated_by);
    }
    put_list("load_word", &before);
    pair_put("load_word", child_path("loadgen", path));
    pair_put("load_word", load->words.item[0]);
    pair_put("load_word", "--control");
    for (size_t i = 1; i < load->words.count; i++)
        pair_put("load_word", load->words.item[i]);
}

// Loads that others connect to come first.
static void put_loads(struct plan_request *experiment, bool listening)
{
    for (size_t i = 0; i < experiment->conditions.count; i++) {
        const struct condition *condition = &experiment->conditions.condition[i];
        for (size_t j = 0; j < condition->load_count; j++)
            if (condition->load[j].description.listens == listening)
                put_load(experiment, condition, &condition->load[j]);
    }
}

bool plan_write(struct plan_request *experiment)
{
    char stamp[LOCK_STAMP_SIZE];
    plan_write_session(experiment);
    plan_write_resume(experiment, experiment->folder.path);
    put_settings(experiment);
    pair_put("program", variant_program(&experiment->variants.variant[0]));
    // The lock goes with this program; stats, which takes it next, knows from this whether somebody
    // else came in between.
    lock_stamp(arena_format(&experiment->arena, "%s/" EXPERIMENT_FILE, experiment->folder.path),
               stamp);
    pair_put("written", stamp);
    put_own_settings(experiment);
    put_conditions(experiment);
    put_meter(experiment);
    put_service(experiment);
    put_probe(experiment);
    put_loads(experiment, true);
    put_loads(experiment, false);
    return fflush(stdout) == 0;
}
