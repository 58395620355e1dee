// experiment: reads the options of run, slowdown and capacity, checks all that can be checked
// before anything is started, writes experiment.json, and says what is to be started.

#include "experiment.h"

#include "common/child.h"
#include "common/counters.h"
#include "common/file.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/units.h"
#include "harness/record/files.h"
#include "harness/stats/json.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DROP_CACHES "/proc/sys/vm/drop_caches"

// What the cell has, where the command line does not say otherwise. Returns the
// loads that count.
static struct option_list take_cell(struct plan_request *experiment)
{
    struct arena *arena = &experiment->arena;
    if (!experiment->session.cell)
        return experiment->session.loads;
    experiment->cell = cell_read(experiment->session.cell);
    cell_apply(experiment->cell, arena, &experiment->settings, experiment->given);
    // stats notes them in its status.
    json_put(experiment->cell, "limits",
             settings_limits(json_object_get(experiment->cell, "settings")));
    if (experiment->target.count == 0 && experiment->settings.variant.count == 0)
        experiment->target = cell_command(experiment->cell, arena);
    return experiment->session.loads.count > 0 ? experiment->session.loads
                                               : cell_loads(experiment->cell, arena);
}

static void add_conditions(struct plan_request *experiment, const struct command *command,
                           struct option_list loads)
{
    struct conditions *conditions = &experiment->conditions;
    struct arena *arena = &experiment->arena;
    const struct load_context context = {.settle_ns = experiment->settings.settle_ns,
                                         .pause = experiment->settings.pause,
                                         .own = &experiment->settings.setting};
    if (!command->slowdown && loads.count > 1)
        usage_error("run takes one --load: for more, use jostle slowdown");
    if (!command->slowdown && loads.count > 0 && experiment->variants.named)
        usage_error("run takes no --load with variants: use jostle slowdown, which measures them "
                    "alone as well");
    if (command->slowdown || loads.count == 0)
        (void)conditions_add(conditions, arena, "baseline", NULL);
    for (size_t i = 0; i < loads.count; i++)
        conditions_add_load(conditions, arena, loads.item[i], &context);
    if (experiment->settings.pause && !conditions_have_neighbour(conditions))
        usage_error(
            "--pause: no load runs already: give one such as --load n=pid:4711, or leave it "
            "out");
    if (!experiment->settings.aa)
        return;
    if (conditions_have(conditions, "aa"))
        usage_error("--aa makes a condition named aa: give your load another name");
    (void)conditions_add(conditions, arena, "aa", NULL);
}

// What loads mean on this machine matters only where they have to stay the same under settings.
static void describe_loads(struct plan_request *experiment)
{
    static const struct option_list none = {0};
    struct conditions *conditions = &experiment->conditions;
    struct arena *arena = &experiment->arena;
    const struct option_list plain =
        load_surroundings(arena, &experiment->settings, experiment->placed.load_cpus, &none);
    bool adjusted = false;
    for (size_t i = 0; i < conditions->count; i++)
        adjusted = adjusted || conditions->condition[i].adjustment.load.count > 0;
    conditions_describe(conditions, arena, &experiment->asked_loads, adjusted ? &plain : NULL);
}

static void add_variants(struct plan_request *experiment)
{
    struct session *session = &experiment->session;
    if (session->no_shell && experiment->settings.shell)
        usage_error("-N is --shell=none: leave out --shell");
    if (session->build && session->revisions.count == 0)
        usage_error("--build: of what? Give two or more --revision NAME=REVISION");
    if (session->no_shell)
        experiment->settings.shell = "none";
    variants_make(experiment);
    settings_check_variants(&experiment->settings, experiment->variants.named);
}

// The target runs in a container, or is a client of one.
static void take_container(struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    struct arena *arena = &experiment->arena;
    if (settings->in && experiment->target.count == 0)
        usage_error("--in %s: give TARGET: variants and revisions are not run in it", settings->in);
    if (settings->in)
        experiment->target = container_words(arena, settings->in, &experiment->target);
    if (settings->account)
        experiment->accounts = account_folders(arena, settings->account, experiment->account);
}

static void check_programs(void)
{
    static const char *const programs[] = {"loadgen", "meter", "stats"};
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        char path[PATH_MAX];
        if (access(child_path(programs[i], path), X_OK) == 0)
            continue;
        complain("%s is missing: run make", path);
        exit(EXIT_FAILURE);
    }
}

// --strict: the doctor refuses a machine that is not fit to measure on.
static void check_doctor(const struct settings *settings)
{
    char path[PATH_MAX];
    const char *const argv[] = {child_path("doctor", path), "--gate", NULL};
    const int status = settings->strict ? child_run(argv, -1, NULL) : 0;
    if (status != 0)
        exit(status < 0 ? EXIT_FAILURE : status);
}

// Options that say nothing without another one.
static void check_needed(const struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    for (const char *const *name = service_settings; *name; name++)
        if (!settings->service && options_given(experiment->given, *name))
            usage_error("--%s is about a service: give --service, or leave it out", *name);
    if (!settings->cold && options_given(experiment->given, "cold-path"))
        usage_error("--cold-path names what --cold drops: add --cold, or leave it out");
}

static void check_cold(const struct settings *settings)
{
    if (!settings->cold || access(DROP_CACHES, W_OK) == 0)
        return;
    if (settings->cold_path.count == 0)
        usage_error("--cold without root reaches only named files: add --cold-path, or run as "
                    "root");
    complain("--cold without root: only the files under --cold-path leave the page cache, not "
             "metadata, which is less");
}

// What is shown is not kept, and what a metric is read from has to be.
static void check_output(const struct plan_request *experiment)
{
    const struct settings *settings = &experiment->settings;
    const bool given = settings->out || settings->errors;
    if (experiment->session.show_output && given)
        usage_error("--show-output and --stdout or --stderr: give one of them");
    if (!settings->out || strcmp(settings->out, "pipe") == 0 ||
        !metrics_need_output(&experiment->metrics))
        return;
    if (strcmp(settings->out, "inherit") == 0)
        usage_error("--stdout inherit: a metric is read from the output: give --show-output");
    struct stat status;
    if (stat(settings->out, &status) == 0 && !S_ISREG(status.st_mode))
        usage_error("--stdout %s: a metric is read from the output: give a file that can be read "
                    "again",
                    settings->out);
}

// A server has settings from its start on, so that it is one for each run.
static void check_service_settings(const struct condition *condition,
                                   const struct settings *settings)
{
    const struct option_list *list = &condition->adjustment.service;
    if (list->count == 0)
        return;
    if (!settings->service)
        usage_error("--load %s: " SERVICE_PREFIX "%s: there is no service: give --service, or "
                    "write " TARGET_PREFIX "%s",
                    condition->name, list->item[0], list->item[0]);
    if (settings->keep_service)
        usage_error("--load %s: " SERVICE_PREFIX "%s is set when the server is started: leave out "
                    "--keep-service",
                    condition->name, list->item[0]);
}

// Settings of the kernel: whether this machine lets us set them; of the user's own, whether we can
// keep that they are on.
static void check_adjusted(const struct plan_request *experiment)
{
    for (size_t i = 0; i < experiment->conditions.count; i++) {
        const struct condition *condition = &experiment->conditions.condition[i];
        check_service_settings(condition, &experiment->settings);
        adjustment_try(&condition->adjustment, condition->name);
        for (size_t k = 0; k < condition->adjustment.own.count; k++)
            own_setting_check_place(condition->adjustment.own.item[k]);
        if (condition->adjustment.target.count > 0 &&
            experiment->settings.engine == ENGINE_HYPERFINE)
            usage_error("--load %s: settings of the target are jostle's own: leave out --engine "
                        "hyperfine",
                        condition->name);
    }
}

// From now on to our end: who reads the plan takes the folder away again, and must know of it.
static void hold_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t held;
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        (void)sigaddset(&held, ending[i]);
    (void)sigprocmask(SIG_BLOCK, &held, NULL);
}

// Opens the folder, and writes experiment.json, a new one or that of the experiment that is
// resumed, and the plan; before: what the folder had until now.
static bool write_all(struct plan_request *experiment, const json_t *before)
{
    struct arena *arena = &experiment->arena;
    struct folder *folder = &experiment->folder;
    const struct session *session = &experiment->session;
    const char *path = session->output;
    variants_check_built(&experiment->variants, arena);
    if (!path)
        path = folder_default(arena, variant_program(&experiment->variants.variant[0]));
    const bool is_cells =
        session->cell && file_is_same(session->cell, arena_format(arena, "%s/cell.json", path));
    // Before there is a folder: this looks at files of the user's, and may be stuck there.
    json_auto_t *record = experiment_to_json(experiment);
    hold_signals();
    experiment_folder_open(folder, arena, path, session->resume, before || is_cells);
    if (folder->has_runs && !before)
        folder_unknown(path);
    // Before we had the lock, somebody else may have measured and written.
    json_auto_t *old = before ? experiment_known(path) : NULL;
    if (folder->has_runs) {
        resume_compare(folder, arena, old, record);
        experiment->complete = resume_is_complete(folder, old, record);
        resume_warn(folder, old, record);
    }
    json_auto_t *noted =
        folder->has_runs && !experiment->complete ? resume_note(old, record) : NULL;
    if (!experiment->complete)
        folder_write(folder, arena, EXPERIMENT_FILE, noted ? noted : record);
    folder_take_away(folder, session->output != NULL, experiment->complete);
    const bool written = plan_write(experiment);
    experiment_folder_close(folder);
    return written;
}

static void end(struct plan_request *experiment)
{
    placed_free(&experiment->placed);
    metrics_free(&experiment->metrics);
    json_decref(experiment->cell);
    json_decref(experiment->left_out);
    json_decref(experiment->asked);
    json_decref(experiment->busy);
    options_free(experiment->given);
    arena_free(&experiment->arena);
}

// With `only_revisions`, checks everything and writes only which revisions are to be made.
static int begin(const struct command *command, int argc, char **argv, bool only_revisions)
{
    struct plan_request experiment = {0};
    json_t *old = NULL;
    arguments_parse(&experiment, command, argc, argv);
    if (!experiment.session.cell)
        experiment.asked = arguments_asked(&experiment);
    struct option_list loads = take_cell(&experiment);
    if (experiment.session.resume && !experiment.session.output)
        usage_error("--resume: which experiment? Give its folder with --output");
    if (experiment.session.resume)
        old = experiment_known(experiment.session.output);
    // The seed of the session before, so that the order of runs is the same.
    const json_t *seed = json_object_get(json_object_get(old, "settings"), "seed");
    if (experiment.settings.seed == OPTION_NOT_GIVEN && json_is_integer(seed))
        experiment.settings.seed = json_integer_value(seed);
    if (command->capacity)
        capacity_limits(&experiment.settings, experiment.given);
    if (command->slowdown && !command->protect && !command->capacity &&
        panorama_wanted(&experiment, &loads))
        loads = panorama_loads(&experiment, old);
    settings_complete(&experiment.settings);
    check_needed(&experiment);
    revisions_read(&experiment.revisions, &experiment.arena, &experiment.session.revisions);
    // What there is to say is said when they are there.
    experiment.session.quiet = experiment.session.quiet || only_revisions;
    take_container(&experiment);
    add_variants(&experiment);
    const struct option_list metrics = panorama_metrics(&experiment);
    metrics_make(&experiment.metrics, &experiment.arena, &metrics, experiment.settings.decide,
                 &experiment.variants);
    if (experiment.settings.engine == ENGINE_HYPERFINE)
        metrics_check_hyperfine(&experiment.metrics);
    check_programs();
    placed_find(&experiment.placed, &experiment.arena, &experiment.settings);
    if (command->protect)
        loads = protect_loads(&experiment, &loads);
    add_conditions(&experiment, command, loads);
    describe_loads(&experiment);
    panorama_describe(&experiment);
    combinations_make(&experiment.combinations, &experiment.arena, &experiment.variants,
                      &experiment.conditions);
    check_adjusted(&experiment);
    if (command->capacity)
        capacity_check(&experiment);
    experiment.input = input_find(&experiment.settings, &experiment.arena);
    check_output(&experiment);
    session_check_files(&experiment.session);
    check_cold(&experiment.settings);
    conditions_keep_loads(&experiment.conditions, &experiment.arena);
    if (!only_revisions && busy_look_is_wanted(&experiment))
        experiment.busy = panorama_was_busy(&experiment.arena)
                              ?: busy_look(experiment.session.wait_ns, experiment.session.quiet);
    check_doctor(&experiment.settings);
    metrics_check_machine(&experiment.metrics, experiment.settings.service != NULL);
    // Late, so that whoever writes to a pipe has had some time.
    if (!experiment.input && input_on_stdin())
        usage_error("stdin has data, which the first run alone would read: give each run the file "
                    "with --input FILE, or redirect from /dev/null where it is not the target's");
    const bool written = only_revisions
                             ? revisions_write(&experiment.revisions, experiment.session.build,
                                               experiment.session.output, old)
                         : experiment.look_wanted ? panorama_write_look(&experiment)
                                                  : write_all(&experiment, old);
    json_decref(old);
    end(&experiment);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// --on: nothing is checked here but what is about this machine.
static int begin_elsewhere(const struct command *command, int argc, char **argv)
{
    struct plan_request experiment = {0};
    arguments_parse(&experiment, command, argc, argv);
    const bool written = elsewhere_write(&experiment);
    end(&experiment);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The look before a campaign, which waits for up to a TIME; NULL: not at all.
static int look_only(const char *text)
{
    int64_t wait_ns = 0;
    if (text && units_time(text, &wait_ns) != 0)
        usage_error("--wait %s: not a time: give one such as 10min", text);
    json_decref(busy_look(wait_ns, false));
    return EXIT_SUCCESS;
}

// The kernel's counters of now, and the inputs of the experiment in that folder (NULL: none) that
// have changed, on one line; then a line `stdin`, if there is data by now on ours, which no run has
// read.
static int print_counters(const char *folder)
{
    struct counters counters;
    counters_read(&counters);
    json_auto_t *record = counters_to_json(&counters);
    if (folder)
        json_object_set_new(record, "inputs", inputs_changed(folder));
    const bool written = json_print(record, stdout, LINE_FORMAT) &&
                         (!input_on_stdin() || puts("stdin") != EOF) && fflush(stdout) == 0;
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    streams_open();
    signal(SIGXFSZ, SIG_IGN); // ulimit -f: the write fails, and says why
    const char *word = argc > 1 ? argv[1] : "";
    const struct command *command = command_find(word);
    if (command)
        return begin(command, argc - 1, argv + 1, false);
    if (strcmp(word, "--list-options") == 0)
        return commands_list() ? EXIT_SUCCESS : EXIT_FAILURE;
    if (strcmp(word, "--look") == 0)
        return look_only(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "--counters") == 0)
        return print_counters(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "--revisions") == 0 && argc > 2 && command_find(argv[2]))
        return begin(command_find(argv[2]), argc - 2, argv + 2, true);
    if (strcmp(word, "--on") == 0 && argc > 2 && command_find(argv[2]))
        return begin_elsewhere(command_find(argv[2]), argc - 2, argv + 2);
    if (strcmp(word, "--adapters") == 0)
        return adapters_print(argc > 2 ? argv[2] : NULL) && fflush(stdout) == 0 ? EXIT_SUCCESS
                                                                                : EXIT_FAILURE;
    usage_error("experiment: give run, slowdown, --look, --counters, --revisions, --on or "
                "--adapters: jostle run, "
                "slowdown and adapters do");
}
