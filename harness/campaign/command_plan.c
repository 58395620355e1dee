// From a campaign file to a plan, and what the shell needs to know of one.

#include "campaign.h"

#include "common/save.h"
#include "common/text.h"
#include "harness/experiment/describe.h"
#include "harness/experiment/loads.h"
#include "harness/record/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- the cells to measure, grouped into the tasks of a job array

// A task takes about so long: starting it then costs little, and so does losing it
// with its node.
enum { CELL_S = 60 /* of whose time nothing is known */, TASK_S = 600, TASK_LEAST_S = 20 };
enum { TASKS_PER_NODE = 4 }; // so that every node is busy to the end

// What is printed, and the task that is being filled: the run of numbers that its line ends with.
struct tasks {
    uint64_t all_cells, all_tasks; // how many
    uint64_t cells;
    double seconds;
    long first, last;
    unsigned session;
};

static double seconds_of(const json_t *cell)
{
    return number_of(json_object_get(cell, "estimate_s"), "high", CELL_S);
}

// How long a task should take, in seconds, with so many nodes (at least 1).
static double tasks_seconds(const json_t *cells, uint64_t nodes)
{
    double total_s = 0;
    JSON_EACH (cell, cells) {
        if (json_is_true(json_object_get(cell, "todo")))
            total_s += seconds_of(cell);
    }
    return fmin(fmax(total_s / ((double)nodes * TASKS_PER_NODE), TASK_LEAST_S), TASK_S);
}

static void end_task(struct tasks *tasks, FILE *stream)
{
    if (tasks->last > tasks->first)
        fprintf(stream, "-%ld", tasks->last);
    fputc('\n', stream);
    tasks->all_tasks++;
    tasks->cells = 0;
    tasks->seconds = 0;
}

static void add_cell(struct tasks *tasks, const json_t *cell, FILE *stream)
{
    const long number = (long)number_of(cell, "number", 0);
    const bool follows = tasks->cells > 0 && number == tasks->last + 1;
    if (tasks->cells > 0 && !follows && tasks->last > tasks->first)
        fprintf(stream, "-%ld", tasks->last);
    if (!follows) {
        fprintf(stream, "%s%ld", tasks->cells > 0 ? "," : "", number);
        tasks->first = number;
    }
    tasks->last = number;
    tasks->session = session_of(cell);
    tasks->cells++;
    tasks->all_cells++;
    tasks->seconds += seconds_of(cell);
}

// Prints a line for each task, with its cells as a list such as 3-7,9; the cells (of a
// jostle.plan/1) stay in their order, and sessions apart. The caller looks at the stream's errors.
static struct tasks tasks_print(const struct campaign *campaign, const json_t *cells, FILE *stream)
{
    struct tasks tasks = {0};
    const double most_s = campaign->nodes > 0 ? tasks_seconds(cells, campaign->nodes) : 0;
    JSON_EACH (cell, cells) {
        if (!json_is_true(json_object_get(cell, "todo")))
            continue;
        const bool full = campaign->cells_per_task > 0 ? tasks.cells >= campaign->cells_per_task
                                                       : tasks.seconds + seconds_of(cell) > most_s;
        // Another session may be on another node, at another time.
        if (tasks.cells > 0 && (full || session_of(cell) != tasks.session))
            end_task(&tasks, stream);
        add_cell(&tasks, cell, stream);
    }
    if (tasks.cells > 0)
        end_task(&tasks, stream);
    return tasks;
}

// What a campaign would do on this machine, for those who did not write it.

// Each once, in the order in which they come first.
static void say(json_t *said, const char *role, const char *text)
{
    if (!text || *text == '\0')
        return;
    OWNED char *plain = must(visible_copy(text)), *line = text_of("%s\t%s", role, plain);
    if (!json_object_get(said, line))
        puts(line);
    json_object_set_new(said, line, json_true());
}

// Prints, for the cells that are to be measured, a line ROLE, TEXT for each different command,
// load and setting, and for what runs before each session.
static void actions_print(const struct campaign *campaign)
{
    json_auto_t *said = json_object();
    const char *name;
    json_t *value;
    printf("\n");
    say(said, "session-prepare", json_text_at(campaign->plan, "session_prepare"));
    say(said, "scratch", json_text_at(campaign->plan, "scratch"));
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = campaign->states.list[i].cell;
        if (!campaign->states.list[i].todo)
            continue;
        OWNED char *command = json_words_quoted(json_object_get(cell, "command"));
        say(said, "command", command);
        say(said, "load", json_text_at(cell, "spec"));
        json_object_foreach(json_object_get(cell, "settings"), name, value)
            say(said, name, json_string_value(value));
    }
}

int command_expand(struct campaign *campaign)
{
    struct config config;
    struct save save;
    if (!campaign->file || !campaign->instances || !campaign->workloads || !campaign->plan_path ||
        !campaign->conf)
        usage_error("campaign expand needs --file, --instances, --workloads, --plan and --conf");
    config_read(&config, campaign->file, stdin);
    json_auto_t *plan = expand(&config, campaign);
    const char *path = campaign->plan_path;
    bool written = campaign_plan_write(plan, path);
    // Where nothing is included, the shell copies the file as it is, with its comments.
    if (written && config_includes(&config))
        written = save_begin(&save, path = campaign->conf, SAVE_STATE) &&
                  save_end(&save, config_write(&config, save.file));
    config_free(&config);
    return written || save_complain(path) ? 0 : 1;
}

int command_describe(struct campaign *campaign)
{
    const json_t *plan = campaign->plan;
    const char *name = json_text_at(plan, "name");
    OWNED char *safe = safe_text(name ? name : "campaign", LETTERS "._-"),
               *calibrate = text_of("%.9g", number_of(plan, "calibrate_s", 0)),
               *nodes = text_of("%ld", plan_nodes(plan));
    pair_put("name", safe);
    pair_put("scratch", json_text_at(plan, "scratch"));
    pair_put("calibrate", strcmp(calibrate, "0") == 0 ? NULL : calibrate);
    pair_put("nodes", nodes);
    pair_put("prepares", json_text_at(plan, "session_prepare"));
    pair_put_flag("input", plan_has_input(plan));
    return print_end();
}

// Says how the target of a cell failed, with the last line that it wrote to stderr.
static void complain_of_target(const json_t *cell, const struct run *run, const char *stderr_path)
{
    OWNED char *how = failure_text(run);
    char last[256] = "";
    FILE *file = fopen(stderr_path, "re");
    while (file && fgets(last, sizeof last, file))
        continue;
    if (file)
        fclose(file);
    last[strcspn(last, "\n")] = '\0';
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
        OWNED char *path = text_of("%s/%.0f", folder, number_of(cell, "number", 0)),
                   *written = text_of("%s.stderr", path);
        json_auto_t *record = json_read_record(path, JSON_DISABLE_EOF_CHECK, NULL);
        struct run run;
        (void)run_read(&run, node_of_json(record));
        // A target whose failures count as runs may fail here, too.
        const char *ignored = json_text_at(json_object_get(cell, "settings"), "ignore-failure");
        const struct ignored passes = {.any = ignored && strcmp(ignored, "false") != 0};
        const bool good = failure_counts(run_failure(&run), run_exit_code(&run), &passes);
        if (good && !isnan(run_wall_s(&run)))
            json_object_set_new(probes, json_text_at(cell, "label"), json_real(run_wall_s(&run)));
        else if (record)
            complain_of_target(cell, &run, written);
        *failed = *failed || (record != NULL && !good);
    }
    return probes;
}

// jostle.plan/1 of the cells that are wanted; *failed: a target that was probed did.
static json_t *remaining(const struct campaign *campaign, bool *failed)
{
    json_auto_t *probes = read_probes(campaign->probes, &campaign->states, failed);
    return remaining_plan(campaign->plan, &campaign->states, probes);
}

int command_plan(struct campaign *campaign)
{
    bool failed = false;
    json_auto_t *plan = remaining(campaign, &failed);
    for (size_t i = 0; campaign->names && i < campaign->states.count; i++) {
        const struct state *state = &campaign->states.list[i];
        if (state->todo)
            printf("%.0f\t%s\t%s\n", number_of(state->cell, "number", 0), state->cell_name,
                   state->name);
    }
    if (campaign->actions)
        actions_print(campaign);
    if (!campaign->names && !campaign->actions &&
        json_dumpf(plan, stdout,
                   (campaign->compact ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)) ==
            0)
        putchar('\n');
    return print_end() != 0 || failed ? 1 : 0;
}

// Prints CELLS<TAB>TASKS: how many there are.
int command_tasks(struct campaign *campaign)
{
    bool failed = false;
    if (!campaign->output || (campaign->nodes == 0) == (campaign->cells_per_task == 0))
        usage_error("campaign tasks needs --output, and --nodes or --cells-per-task");
    json_auto_t *plan = remaining(campaign, &failed);
    struct save save;
    struct tasks tasks = {0};
    const bool begun = save_begin(&save, campaign->output, SAVE_STATE);
    if (begun)
        tasks = tasks_print(campaign, json_object_get(plan, "cells"), save.file);
    if ((!begun || !save_end(&save, true)) && !save_complain(campaign->output))
        return 1;
    printf("%" PRIu64 "\t%" PRIu64 "\n", tasks.all_cells, tasks.all_tasks);
    return print_end();
}

// Puts the words of what the shell has to start.
static void put_words(const json_t *words)
{
    JSON_EACH (word, words)
        pair_put("word", json_string_value(word));
    pair_put("end", "");
}

// Of each target and its parameters of whose time nothing is known: step LABEL, number,
// setup, prepare, conclude, cleanup, timeout, input (each may be ""), word..., end. A client is
// none of them: its service would have to be there.
int command_probes(struct campaign *campaign)
{
    static const char *const names[] = {"setup",   "prepare", "conclude",
                                        "cleanup", "timeout", "input"};
    bool failed = false;
    json_auto_t *plan = remaining(campaign, &failed), *seen = json_object();
    const json_t *cells = json_object_get(plan, "cells");
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = json_array_get(cells, i);
        const json_t *settings = json_object_get(campaign->states.list[i].cell, "settings");
        const char *label = json_text_at(cell, "label");
        if (!campaign->states.list[i].todo || json_is_object(json_object_get(cell, "estimate_s")) ||
            json_object_get(seen, label) || json_text_at(settings, "service"))
            continue;
        json_object_set_new(seen, label, json_true());
        OWNED char *number = text_of("%.0f", number_of(cell, "number", 0));
        pair_put("step", label);
        pair_put("number", number);
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            pair_put(names[k], json_text_or_empty(settings, names[k]));
        // Of a shell's command line, with the shell in front.
        const char *shell = json_text_at(settings, "shell");
        if (shell && strcmp(shell, "none") != 0) {
            pair_put("word", strcmp(shell, "default") == 0 ? "sh" : shell);
            pair_put("word", "-c");
        }
        put_words(json_object_get(cell, "command"));
    }
    return print_end();
}

int command_keep(struct campaign *campaign)
{
    if (!campaign->conf || !campaign->file)
        usage_error("campaign keep needs --conf and --file");
    return folder_hold(campaign->folder, false) && folder_keep_plan(campaign) ? 0 : 1;
}

// ---- what percentages refer to, which is measured before a campaign that says so

// Prints a part of a load that needs it, unless it was printed with the same places: with the CPUs
// that it will have, which say what 100 % is ("": all that are allowed).
static void print_part(const json_t *texts, const char *part, json_t *seen)
{
    struct arena arena = {0};
    struct settings settings;
    struct placed placed;
    struct option_list words = {0};
    OWNED char *key = text_of("%s\n%s\n%s\n%s", json_text_or_empty(texts, "place"),
                              json_text_or_empty(texts, "place-cpus"),
                              json_text_or_empty(texts, "load-cpus"), part);
    if (json_object_get(seen, key))
        return;
    json_object_set_new(seen, key, json_true());
    if (!spec_has_percent(&arena, part, &words)) {
        arena_free(&arena);
        return;
    }
    json_auto_t *list = texts_to_json(words.item, words.count);
    experiment_settings_begin(&settings);
    settings.place = json_text_at(texts, "place");
    settings.place_cpus = json_text_at(texts, "place-cpus");
    settings.load_cpus = json_text_at(texts, "load-cpus");
    placed_find(&placed, &arena, &settings);
    pair_put("step", part);
    pair_put("cpus", placed.load_cpus ? placed.load_cpus : "");
    put_words(list);
    placed_free(&placed);
    arena_free(&arena);
}

// Of each load with a limit in percent, once: step LOAD, cpus, word..., end; names and values
// each ended by a 0. Those of other nodes are calibrated there.
int command_calibrations(struct campaign *campaign)
{
    json_auto_t *seen = json_object();
    for (size_t i = 0; i < campaign->states.count; i++) {
        const json_t *cell = campaign->states.list[i].cell;
        const bool here = *json_text_or_empty(cell, "node") == '\0';
        const char *rest =
            campaign->states.list[i].todo && here ? json_text_at(cell, "spec") : NULL;
        while (rest) {
            const char *start = rest;
            OWNED char *part = must(strndup(start, words_until_joint(start, &rest)));
            if (part[strspn(part, " \t")] != '@')
                print_part(json_object_get(cell, "settings"), part, seen);
        }
    }
    return print_end();
}
