// From a campaign file to a plan, and what the shell needs to know of one.

#include "campaign.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/text.h"
#include "harness/experiment/settings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the cells to measure, grouped into the tasks of a job array

struct task_size {
    uint64_t cells; // so many at most; 0: as the seconds say
    double seconds; // a task of several cells takes no longer
};

struct tasks {
    uint64_t cells, tasks; // how many
};

// A task takes about so long: starting it then costs little, and so does losing it
// with its node.
enum { CELL_S = 60 /* of whose time nothing is known */, TASK_S = 600, TASK_LEAST_S = 20 };
enum { TASKS_PER_NODE = 4 }; // so that every node is busy to the end

static double seconds_of(const json_t *cell)
{
    return number_of(json_object_get(cell, "estimate_s"), "high", CELL_S);
}

// How long a task should take, in seconds, with so many nodes (at least 1). cells: those
// of a jostle.plan/1; the ones that are done do not count.
static double tasks_seconds(const json_t *cells, uint64_t nodes)
{
    double total_s = 0;
    JSON_EACH (cell, cells) {
        if (json_is_true(json_object_get(cell, "todo")))
            total_s += seconds_of(cell);
    }
    return fmin(fmax(total_s / ((double)nodes * TASKS_PER_NODE), TASK_LEAST_S), TASK_S);
}

// The task that is being filled, and the run of numbers that its line ends with.
struct task {
    uint64_t cells;
    double seconds;
    long first, last;
    unsigned session;
};

static void add_cell(struct task *task, long number, FILE *stream)
{
    if (task->cells > 0 && number == task->last + 1) {
        task->last = number;
        return;
    }
    if (task->cells > 0 && task->last > task->first)
        fprintf(stream, "-%ld", task->last);
    fprintf(stream, "%s%ld", task->cells > 0 ? "," : "", number);
    task->first = task->last = number;
}

static void end_task(struct task *task, struct tasks *tasks, FILE *stream)
{
    if (task->last > task->first)
        fprintf(stream, "-%ld", task->last);
    fputc('\n', stream);
    tasks->tasks++;
    *task = (struct task){0};
}

// Prints a line for each task, with its cells as a list such as 3-7,9; the cells stay in
// their order, and sessions apart. The caller looks at the stream's errors.
static struct tasks tasks_print(const json_t *cells, const struct task_size *size, FILE *stream)
{
    struct tasks tasks = {0};
    struct task task = {0};
    JSON_EACH (cell, cells) {
        const double seconds = seconds_of(cell);
        if (!json_is_true(json_object_get(cell, "todo")))
            continue;
        // Another session may be on another node, at another time.
        if (task.cells > 0 && session_of(cell) != task.session)
            end_task(&task, &tasks, stream);
        if (task.cells > 0 &&
            (size->cells > 0 ? task.cells >= size->cells : task.seconds + seconds > size->seconds))
            end_task(&task, &tasks, stream);
        add_cell(&task, (long)number_of(cell, "number", 0), stream);
        task.session = session_of(cell);
        task.cells++;
        task.seconds += seconds;
        tasks.cells++;
    }
    if (task.cells > 0)
        end_task(&task, &tasks, stream);
    return tasks;
}

// What a campaign would do on this machine, for those who did not write it.

// Each once, in the order in which they come first.
static void say(json_t *said, const char *role, const char *text)
{
    if (!text || *text == '\0')
        return;
    char *plain = must(visible_copy(text)), *line = text_of("%s\t%s", role, plain);
    if (!json_object_get(said, line)) {
        puts(line);
        json_object_set_new(said, line, json_true());
    }
    free(line);
    free(plain);
}

static void say_settings(json_t *said, json_t *settings)
{
    const char *name;
    json_t *value;
    json_object_foreach(settings, name, value)
    {
        say(said, name, json_string_value(value));
        JSON_EACH (one, value)
            say(said, name, json_string_value(one));
    }
}

// Prints, for the cells that are to be measured, a line ROLE, TEXT for each different command,
// load and setting, and for what runs before each session.
static void actions_print(const json_t *plan, const struct states *states)
{
    json_t *said = json_object();
    printf("\n");
    say(said, "session-prepare", json_text_at(plan, "session_prepare"));
    say(said, "scratch", json_text_at(plan, "scratch"));
    for (size_t i = 0; i < states->count; i++) {
        const json_t *cell = states->list[i].cell;
        if (!states->list[i].todo)
            continue;
        OWNED char *command = json_words_quoted(json_object_get(cell, "command"));
        say(said, "command", command);
        say(said, "load", json_text_at(cell, "spec"));
        say_settings(said, json_object_get(cell, "settings"));
    }
    json_decref(said);
}

// Where nothing is included, the shell copies the file as it is, with its comments.
static bool write_conf(const struct config *config, const char *path)
{
    struct save save;
    return save_begin(&save, path, SAVE_STATE) && save_end(&save, config_write(config, save.file));
}

bool campaign_plan_write(const json_t *plan, const char *path)
{
    OWNED char *text = must(json_dumps(plan, JSON_COMPACT));
    return save_text(path, text, SAVE_STATE);
}

int command_expand(const struct command_options *options, char **operands, int count)
{
    struct config config;
    (void)operands, (void)count;
    if (!options->file || !options->instances || !options->workloads || !options->plan ||
        !options->conf)
        usage_error("campaign expand needs --file, --instances, --workloads, --plan and --conf");
    const struct expand_folders folders = {options->instances, options->workloads};
    config_read(&config, options->file, stdin);
    json_t *plan = expand(&config, &folders, options->set.item, options->set.count);
    const char *path = options->plan;
    bool written = campaign_plan_write(plan, path);
    if (written && config_includes(&config))
        written = write_conf(&config, path = options->conf);
    json_decref(plan);
    config_free(&config);
    return written || save_complain(path) ? 0 : 1;
}

int command_describe(const struct command_options *options, char **operands, int count)
{
    json_t *plan = plan_read(operands[0]);
    const char *name = json_text_at(plan, "name"), *scratch = json_text_at(plan, "scratch");
    const double calibrate_s = number_of(plan, "calibrate_s", 0);
    (void)options, (void)count;
    printf("name\t");
    print_safe(stdout, name ? name : "campaign", LETTERS "._-");
    printf("\nscratch\t%s\ncalibrate\t", scratch ? scratch : "");
    if (calibrate_s > 0)
        printf("%.9g", calibrate_s);
    printf("\nnodes\t%ld\nprepares\t%s\ninput\t%s\n", plan_nodes(plan),
           json_text_at(plan, "session_prepare") ? "true" : "", plan_has_input(plan) ? "true" : "");
    json_decref(plan);
    return print_end();
}

// Says how the target of a cell failed, with the last line that it wrote to stderr.
static void complain_of_target(const json_t *cell, const json_t *record, const char *stderr_path)
{
    const double code = number_of(record, "exit_code", NAN);
    char last[256] = "", how[64] = "was ended by a signal or the time-out";
    FILE *file = fopen(stderr_path, "re");
    while (file && fgets(last, sizeof last, file))
        continue;
    if (file)
        fclose(file);
    last[strcspn(last, "\n")] = '\0';
    if (!isnan(code))
        snprintf(how, sizeof how, "failed with exit code %.0f", code);
    complain("%s: the target %s%s%s: fix it in the campaign file, or say there that "
             "ignore-failure = true",
             json_text_at(cell, "label"), how, last[0] != '\0' ? ": " : "", last);
}

// {label: seconds of a run}, from meter's records in DIR/NUMBER. Sets *failed where a target did.
static json_t *read_probes(const char *folder, const struct states *states, bool *failed)
{
    json_t *probes = json_object();
    for (size_t i = 0; folder && i < states->count; i++) {
        const json_t *cell = states->list[i].cell;
        char path[PATH_MAX], written[PATH_MAX + 8];
        snprintf(path, sizeof path, "%s/%.0f", folder, number_of(cell, "number", 0));
        snprintf(written, sizeof written, "%s.stderr", path);
        json_t *record = json_read_record(path, JSON_DISABLE_EOF_CHECK, NULL);
        const double wall_s = number_of(record, "wall_s", NAN);
        // A target whose failures count as runs may fail here, too.
        const char *ignored = json_text_at(json_object_get(cell, "settings"), "ignore-failure");
        const bool good =
            number_of(record, "exit_code", 1) == 0 || (ignored && strcmp(ignored, "false") != 0);
        if (good && !isnan(wall_s))
            json_object_set_new(probes, json_text_at(cell, "label"), json_real(wall_s));
        else if (record)
            complain_of_target(cell, record, written);
        *failed = *failed || (record != NULL && !good);
        json_decref(record);
    }
    return probes;
}

// A plan, the cells of it that are wanted, and how far they are.
struct view {
    json_t *plan, *chosen, *remaining;
    struct states states;
    bool failed; // a target that was probed
};

static void view_open(struct view *view, const struct command_options *options, char **operands)
{
    const struct choice choice = {
        .only = options->only, .cells = options->cells, .session = options->session};
    view->plan = plan_read(operands[0]);
    view->chosen = plan_choose(view->plan, &choice);
    view->states = states_read(operands[1], view->chosen, options->retry_failed);
    view->failed = false;
    json_t *probes = read_probes(options->probes, &view->states, &view->failed);
    view->remaining = remaining_plan(view->plan, &view->states, probes);
    json_decref(probes);
}

static void view_close(struct view *view)
{
    states_free(&view->states);
    json_decref(view->remaining);
    json_decref(view->chosen);
    json_decref(view->plan);
}

int command_plan(const struct command_options *options, char **operands, int count)
{
    struct view view;
    (void)count;
    view_open(&view, options, operands);
    for (size_t i = 0; options->names && i < view.states.count; i++) {
        const struct state *state = &view.states.list[i];
        if (state->todo)
            printf("%.0f\t%s\t%s\n", number_of(state->cell, "number", 0), state->cell_name,
                   state->name);
    }
    if (options->actions)
        actions_print(view.plan, &view.states);
    if (!options->names && !options->actions &&
        json_dumpf(view.remaining, stdout,
                   (options->compact ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)) ==
            0)
        putchar('\n');
    view_close(&view);
    return print_end() != 0 || view.failed ? 1 : 0;
}

// Prints CELLS<TAB>TASKS: how many there are.
int command_tasks(const struct command_options *options, char **operands, int count)
{
    struct view view;
    (void)count;
    if (!options->output || (options->nodes == 0) == (options->cells_per_task == 0))
        usage_error("campaign tasks needs --output, and --nodes or --cells-per-task");
    view_open(&view, options, operands);
    const json_t *cells = json_object_get(view.remaining, "cells");
    const struct task_size size = {
        .cells = options->cells_per_task,
        .seconds = options->nodes > 0 ? tasks_seconds(cells, options->nodes) : 0};
    struct save save;
    struct tasks tasks = {0};
    const bool begun = save_begin(&save, options->output, SAVE_STATE);
    if (begun)
        tasks = tasks_print(cells, &size, save.file);
    const bool written = (begun && save_end(&save, true)) || save_complain(options->output);
    view_close(&view);
    if (!written)
        return 1;
    printf("%" PRIu64 "\t%" PRIu64 "\n", tasks.cells, tasks.tasks);
    return print_end();
}

// Of each target and its parameters of whose time nothing is known: number, label,
// setup, prepare, conclude, cleanup, timeout, input, word..., end. A client is none of them:
// its service would have to be there.
int command_probes(const struct command_options *options, char **operands, int count)
{
    static const char *const hooks[] = {"setup", "prepare", "conclude", "cleanup"};
    struct view view;
    size_t i, j;
    json_t *cell, *word, *seen = json_object();
    (void)count;
    view_open(&view, options, operands);
    json_array_foreach(json_object_get(view.remaining, "cells"), i, cell)
    {
        const json_t *settings = json_object_get(view.states.list[i].cell, "settings");
        const char *label = json_text_at(cell, "label");
        char number[32];
        if (!view.states.list[i].todo || json_is_object(json_object_get(cell, "estimate_s")) ||
            json_object_get(seen, label) || json_text_at(settings, "service"))
            continue;
        json_object_set_new(seen, label, json_true());
        snprintf(number, sizeof number, "%.0f", number_of(cell, "number", 0));
        pair_put("number", number);
        pair_put("label", label);
        for (j = 0; j < sizeof hooks / sizeof hooks[0]; j++)
            pair_put(hooks[j], json_text_at(settings, hooks[j]));
        pair_put("timeout", json_text_at(settings, "timeout"));
        pair_put("input", json_text_at(settings, "input"));
        // Of a shell's command line, with the shell in front.
        const char *shell = json_text_at(settings, "shell");
        if (shell && strcmp(shell, "none") != 0) {
            pair_put("word", strcmp(shell, "default") == 0 ? "sh" : shell);
            pair_put("word", "-c");
        }
        json_array_foreach(json_object_get(cell, "command"), j, word)
            pair_put("word", json_string_value(word));
        pair_put("end", "");
    }
    json_decref(seen);
    view_close(&view);
    return print_end();
}

int command_keep(const struct command_options *options, char **operands, int count)
{
    (void)count;
    if (!options->conf || !options->file)
        usage_error("campaign keep needs --conf and --file");
    json_t *plan = plan_read(operands[0]);
    const bool kept = folder_hold(operands[1], false) &&
                      folder_keep_plan(operands[1], plan, options->conf, options->file, false);
    json_decref(plan);
    return kept ? 0 : 1;
}

// ---- what percentages refer to, which is measured before a campaign that says so

// The CPUs that the load will have, which say what 100 % is; NULL: all that are allowed.
static const char *load_cpus(const json_t *texts, struct arena *arena)
{
    struct settings settings;
    struct placed placed;
    experiment_settings_begin(&settings);
    settings.place = json_text_at(texts, "place");
    settings.place_cpus = json_text_at(texts, "place-cpus");
    settings.load_cpus = json_text_at(texts, "load-cpus");
    placed_find(&placed, arena, &settings);
    placed_free(&placed);
    return placed.load_cpus;
}

// Prints a part of a load that needs it, unless it was printed with the same places.
static void print_part(const json_t *settings, const char *part, json_t *seen)
{
    const char *error = NULL;
    size_t count;
    OWNED char **words = words_split(part, &count, &error);
    if (!words)
        usage_error("load '%s': %s: close it", part, error);
    OWNED char *key = text_of("%s\n%s\n%s\n%s", json_text_or_empty(settings, "place"),
                              json_text_or_empty(settings, "place-cpus"),
                              json_text_or_empty(settings, "load-cpus"), part);
    if (has_percent_limit((const char *const *)words, count) && !json_object_get(seen, key)) {
        struct arena arena = {0};
        json_object_set_new(seen, key, json_true());
        pair_put("load", part);
        pair_put("cpus", load_cpus(settings, &arena));
        for (size_t i = 0; i < count; i++)
            pair_put("word", words[i]);
        pair_put("end", "");
        arena_free(&arena);
    }
}

static void print_cell(const json_t *cell, json_t *seen)
{
    const char *spec = json_text_at(cell, "spec"), *node = json_text_at(cell, "node");
    // Those of other nodes are calibrated there.
    if (!spec || (node && node[0] != '\0'))
        return;
    for (const char *rest = spec; rest != NULL;) {
        const char *start = rest;
        OWNED char *part = strndup(start, words_until_joint(start, &rest));
        if (part && part[strspn(part, " \t")] != '@')
            print_part(json_object_get(cell, "settings"), part, seen);
    }
}

// Of each load with a limit in percent, once: load, cpus, word..., end; names and values
// each ended by a 0.
int command_calibrations(const struct command_options *options, char **operands, int count)
{
    const struct choice choice = {.only = options->only, .cells = options->cells};
    json_t *plan = plan_read(operands[0]), *seen = json_object();
    json_t *chosen = plan_choose(plan, &choice);
    struct states states = states_read(operands[1], chosen, options->retry_failed);
    (void)count;
    for (size_t i = 0; i < states.count; i++)
        if (states.list[i].todo)
            print_cell(states.list[i].cell, seen);
    states_free(&states);
    json_decref(chosen);
    json_decref(seen);
    json_decref(plan);
    return print_end();
}
