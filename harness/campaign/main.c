// campaign: what a campaign is made of, how far it is, and what to measure next. It
// reads and writes files; processes are the shell's. Here: its options, and the commands that
// measure, look on and merge.
#define OPTIONS_OF struct command_options

#include "campaign.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/save.h"
#include "common/schemas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// How far a campaign is: jostle.campaign-status/1.

enum { REASON_SIZE = 256 };

// What a campaign's cells can be, in the order in which they are counted.
static const char *const state_names[] = {"done",  "running", "failed", "interrupted",
                                          "stale", "waiting", NULL};

// The state that people are shown: what waits for whatever reason is waiting.
static const char *shown_state(const char *folder, const struct state *state,
                               const struct queue *queue, double now_s, char *reason, size_t size)
{
    json_copy_text(state->status, "reason", reason, size);
    if (state_is(state, "changed")) {
        snprintf(reason, size, "its definition was changed");
        return "waiting";
    }
    if (state_is(state, "limits"))
        return "done";
    if (state_is(state, "running") && !cell_is_measured(folder, state, queue, now_s, reason, size))
        return "stale";
    if (state_is(state, "running"))
        json_copy_text(state->status, "reason", reason, size);
    return state->name;
}

// Whether somebody should look at it: it does not go on by itself.
static bool needs_attention(const char *shown, const char *reason)
{
    return strcmp(shown, "stale") == 0 || strcmp(shown, "failed") == 0 ||
           (strcmp(shown, "interrupted") == 0 && reason[0] != '\0');
}

static json_t *cell_status(const struct state *state, const char *shown, const char *reason,
                           double now_s)
{
    const json_t *status = state->status;
    return json_pack(
        "{so so ss ss? so so so so so so so so so ss? sb sb}", "number",
        json_member(state->cell, "number"), "name", json_member(state->cell, "name"), "state",
        shown, "reason", reason[0] ? reason : NULL, "host", json_member(status, "host"), "runs",
        json_integer((json_int_t)number_of(status, "runs", 0)), "max_runs",
        json_member(status, "max_runs"), "expected_runs", json_member(status, "expected_runs"),
        "error", json_member(status, "error"), "asked_error", json_member(status, "asked_error"),
        "updated", json_member(status, "updated"), "age_s",
        number_to_json(cell_age_s(status, now_s)), "spent_s", json_member(status, "spent_s"), "job",
        json_text_at(status, "job"), "changed", state_is(state, "changed"), "attention",
        needs_attention(shown, reason));
}

static double rest_of(const struct state *state, const char *shown, const struct means *means)
{
    if (strcmp(shown, "done") == 0 || strcmp(shown, "failed") == 0)
        return 0;
    if (strcmp(shown, "running") == 0) {
        const double rest_s = rest_of_cell(state->status);
        if (!isnan(rest_s))
            return rest_s;
    }
    return mean_of_target(means, state->cell);
}

// {state: how many cells}, with each state.
static json_t *no_counts(size_t cells)
{
    json_t *counts = json_pack("{si}", "cells", (int)cells);
    for (size_t i = 0; state_names[i] != NULL; i++)
        json_object_set_new(counts, state_names[i], json_integer(0));
    return counts;
}

static void count_one(json_t *counts, const char *name)
{
    const json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

static json_t *job_states(const struct queue *queue, const char *job)
{
    json_t *states = json_object_get(queue->tasks, job);
    return !queue->answers ? json_null() : states ? json_incref(states) : json_object();
}

// What was submitted, with what the queue says of it.
static json_t *jobs_of(const char *path, const struct queue *queue)
{
    json_t *jobs = json_array();
    FILE *file = path ? file_open_record(path) : NULL;
    OWNED char *line = NULL;
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        char *rest = line;
        const char *time = strsep(&rest, "\t\n"), *scheduler = strsep(&rest, "\t\n");
        const char *role = strsep(&rest, "\t\n"), *id = strsep(&rest, "\t\n");
        if (id && id[0] != '\0')
            json_array_append_new(jobs, json_pack("{ss ss ss ss so}", "submitted", time,
                                                  "scheduler", scheduler, "role", role, "id", id,
                                                  "states", job_states(queue, id)));
    }
    if (file)
        fclose(file);
    return jobs;
}

// {cells, done} of each session, in their order; null where nothing is repeated.
static json_t *sessions_status(const json_t *cells, const struct states *states)
{
    json_t *sessions = json_array();
    for (size_t i = 0; i < states->count; i++) {
        const size_t at = session_of(states->list[i].cell) - 1;
        while (json_array_size(sessions) <= at && at < SESSIONS_MOST)
            json_array_append_new(sessions, json_pack("{si si}", "cells", 0, "done", 0));
        json_t *session = json_array_get(sessions, at);
        count_one(session, "cells");
        if (json_text_is(json_array_get(cells, i), "state", "done"))
            count_one(session, "done");
    }
    if (json_array_size(sessions) > 1)
        return sessions;
    json_decref(sessions);
    return json_null();
}

// jobs_path: lines TIME<TAB>SCHEDULER<TAB>ROLE<TAB>ID of what was submitted; NULL: none.
// To be released.
static json_t *status_of(const json_t *plan, const char *folder, const struct states *states,
                         const struct queue *queue, const char *jobs_path, double now_s)
{
    struct means means;
    json_t *cells = json_array(), *counts = no_counts(states->count);
    double rest_s = 0;
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        char reason[REASON_SIZE];
        const char *shown = shown_state(folder, state, queue, now_s, reason, sizeof reason);
        count_one(counts, shown);
        rest_s += rest_of(state, shown, &means);
        json_array_append_new(cells, cell_status(state, shown, reason, now_s));
    }
    means_free(&means);
    // Cells that are measured at the same time share the time that is left.
    const double at_once = number_of(counts, "running", 0);
    json_t *left = isnan(rest_s) || at_once <= 0 ? json_null() : json_real(rest_s / at_once);
    return json_pack("{ss so so so so so sb so so}", "schema", SCHEMA_CAMPAIGN_STATUS, "name",
                     json_member(plan, "name"), "folder", text_to_json(folder), "counts", counts,
                     "left_s", left, "jobs", jobs_of(jobs_path, queue), "queue", queue->answers,
                     "sessions", sessions_status(cells, states), "cells", cells);
}

// Prints the ids of jobs, a line each, that cells say measure them, and that are not in
// the queue.
static void status_print_lost(const struct states *states, const struct queue *queue, FILE *stream)
{
    json_t *printed = json_object();
    for (size_t i = 0; i < states->count; i++) {
        const char *job = json_text_at(states->list[i].status, "job");
        if (!state_is(&states->list[i], "running") || !job || json_object_get(queue->states, job) ||
            json_object_get(printed, job))
            continue;
        json_object_set_new(printed, job, json_true());
        fprintf(stream, "%s\n", job);
    }
    json_decref(printed);
}

// Makes the folder, holds it, and brings the plan into it.
static bool open_folder(const struct command_options *options, const json_t *plan,
                        const char *folder)
{
    return folder_hold(folder, options->shared) &&
           (!options->conf ||
            folder_keep_plan(folder, plan, options->conf, options->file, options->shared));
}

// Whoever shares the folder would build while others measure.
static bool may_prepare(const struct command_options *options, const json_t *plan)
{
    return !options->shared || !json_text_at(plan, "session_prepare") ||
           complain("session-prepare cannot run while others measure cells (--cells, jostle "
                    "submit): prepare each session yourself, and take it out of the file");
}

// Prints "ready" and how many cells are to be measured, then obeys: see drive.h.
static int command_run(const struct command_options *options, char **operands, int count)
{
    (void)count;
    if (!options->scratch || !options->stderr_path || (options->conf && !options->file))
        usage_error("campaign run needs --scratch and --stderr, and --file with --conf");
    json_t *plan = plan_read(operands[0]);
    const struct choice choice = {
        .only = options->only, .cells = options->cells, .session = options->session};
    const struct drive_settings settings = {.folder = operands[1],
                                            .scratch = options->scratch,
                                            .stderr_path = options->stderr_path,
                                            .prepare = json_text_at(plan, "session_prepare"),
                                            .file = json_text_at(plan, "file"),
                                            .quiet = options->quiet};
    json_t *chosen = plan_choose(plan, &choice);
    bool driven = may_prepare(options, plan) && open_folder(options, plan, operands[1]);
    if (driven) {
        struct states states = states_read(operands[1], chosen, options->retry_failed);
        size_t todo = 0;
        for (size_t i = 0; i < states.count; i++)
            todo += states.list[i].todo;
        printf("ready\t%zu\n", todo);
        driven = print_end() == 0 && drive(&settings, &states);
        states_free(&states);
    }
    json_decref(chosen);
    json_decref(plan);
    return driven ? 0 : 1;
}

// Into a file, for other programs: then prints how many cells are to be measured, and how many
// failed.
static bool write_status(const json_t *status, const char *path)
{
    const json_t *counts = json_object_get(status, "counts");
    const double failed = number_of(counts, "failed", 0);
    char *text =
        must(json_dumps(status, (path ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)));
    const bool written = path ? save_text(path, text, SAVE_STATE) : puts(text) != EOF;
    free(text);
    if (path)
        printf("%.0f\t%.0f\n",
               number_of(counts, "cells", 0) - number_of(counts, "done", 0) - failed, failed);
    return written || (path && complain("cannot write %s: is the disk full?", path));
}

static int command_status(const struct command_options *options, char **operands, int count)
{
    const char *folder = operands[0];
    char path[PATH_MAX], jobs[PATH_MAX];
    struct queue queue;
    bool good = true;
    (void)count;
    snprintf(path, sizeof path, "%s/campaign.json", folder);
    snprintf(jobs, sizeof jobs, "%s/jobs/jobs.tsv", folder);
    json_t *plan = plan_read(path);
    queue_read(&queue, options->queue, options->fates);
    struct states states = states_read(folder, json_object_get(plan, "cells"), false);
    if (options->lost) {
        status_print_lost(&states, &queue, stdout);
    } else {
        json_t *status = status_of(plan, folder, &states, &queue, jobs, (double)time(NULL));
        good = write_status(status, options->output);
        json_decref(status);
    }
    states_free(&states);
    queue_free(&queue);
    json_decref(plan);
    return print_end() == 0 && good ? 0 : 1;
}

// The folders of the cells, each ended by a 0.
static bool write_taken(const struct merged *merged, const char *path)
{
    struct save save;
    bool written = save_begin(&save, path, SAVE_STATE);
    if (!written)
        return false;
    for (size_t i = 0; written && i < merged->count; i++)
        written = fwrite(merged->take[i], strlen(merged->take[i]) + 1, 1, save.file) == 1;
    return save_end(&save, written);
}

// Prints how many cells, and how many were found again.
static int command_merge(const struct command_options *options, char **operands, int count)
{
    struct merged merged;
    if (!options->take || !options->plan)
        usage_error("campaign merge needs --take and --plan");
    merge(&merged, (const char *const *)operands, (size_t)count, (enum prefer)options->prefer);
    bool good = merged.conflicts == 0;
    if (!good)
        complain("%zu cell%s: say which to take with --prefer first or --prefer newest",
                 merged.conflicts, merged.conflicts == 1 ? " differs" : "s differ");
    else if (!write_taken(&merged, options->take) ||
             !campaign_plan_write(merged.plan, options->plan))
        good = complain("cannot write %s: is the disk full?", options->plan);
    else
        printf("%zu\t%zu\n", merged.count, merged.again);
    merge_free(&merged);
    return good && print_end() == 0 ? 0 : 1;
}

// The command line.

static const char *const preferences[] = {
    [PREFER_NONE] = "none", [PREFER_FIRST] = "first", [PREFER_NEWEST] = "newest", NULL};

#define COUNT(name, member, words)                                                                 \
    {                                                                                              \
        ROW(name, "N", OPTION_COUNT, member), .minimum = 1, .maximum = 1e9, .help = words          \
    }

static const struct option_row rows[] = {
    TEXT("file", "FILE", file, "expand, keep, run: the campaign file"),
    TEXT("instances", "DIR", instances, "expand: jostle's instances for qap"),
    TEXT("workloads", "DIR", workloads, "expand: jostle's workloads"),
    {ROW("set", "NAME=VALUE", OPTION_LIST, set), .check = option_check_assignment,
     .wrong = "max-runs", .help = "expand: a setting that holds for all cells"},
    TEXT("plan", "FILE", plan, "expand, merge: where to write the plan"),
    TEXT("conf", "FILE", conf, "expand, keep, run: the campaign file as one, includes and all"),
    TEXT("only", "PATTERN", only, "only cells whose name matches"),
    TEXT("cells", "LIST", cells, "only cells of these numbers, such as 3-7,9"),
    COUNT("session", session, "only cells of this session"),
    FLAG("retry-failed", retry_failed, "measure cells again whose target failed"),
    FLAG("actions", actions, "plan: print lines ROLE, TEXT of what would run, and how"),
    FLAG("names", names, "plan: print lines NUMBER, NAME, STATE of the cells to measure"),
    COUNT("nodes", nodes, "tasks: the nodes that measure, all of which are to be busy"),
    COUNT("cells-per-task", cells_per_task, "tasks: so many cells each, whatever time they take"),
    FLAG("compact", compact, "plan: print it on one line, for another program"),
    TEXT("probes", "DIR", probes, "plan: where DIR/NUMBER is meter's record of a cell's target"),
    TEXT("scratch", "DIR", scratch, "run: where working folders are made"),
    TEXT("stderr", "FILE", stderr_path, "run: what the current cell prints on stderr"),
    FLAG("shared", shared, "run: others may measure other cells of the folder"),
    FLAG("quiet", quiet, "run: print nothing but errors"),
    TEXT("queue", "FILE", queue, "status: lines ID, JOB, STATE of the jobs that wait or run"),
    TEXT("fates", "FILE", fates, "status: lines ID, FATE of jobs that do not"),
    TEXT("output", "FILE", output,
         "status: where to write it, else stdout; tasks: the lists of cells"),
    FLAG("lost", lost, "status: print ids of jobs that cells name and the queue does not"),
    TEXT("take", "FILE", take, "merge: where to write the cells' folders, each ended by a 0"),
    {ROW("prefer", "WHICH", OPTION_CHOICE, prefer), .choices = preferences, .preset = "none",
     .help = "merge: of two that differ, the first or the newest"},
    {0}};

static const struct command {
    const char *name;
    int (*run)(const struct command_options *options, char **operands, int count);
    int least, most; // operands
} commands[] = {{"expand", command_expand, 0, 0},
                {"describe", command_describe, 1, 1},
                {"plan", command_plan, 2, 2},
                {"tasks", command_tasks, 2, 2},
                {"probes", command_probes, 2, 2},
                {"calibrations", command_calibrations, 2, 2},
                {"keep", command_keep, 2, 2},
                {"run", command_run, 2, 2},
                {"status", command_status, 1, 1},
                {"merge", command_merge, 1, 1 << 20},
                {0}};

static const char intro[] =
    "The part of jostle's campaigns that reads and writes files.\n\n"
    "  expand              what git config prints of a campaign file becomes a plan\n"
    "  describe PLAN       what the shell needs to know of a plan\n"
    "  plan PLAN DIR       jostle.plan/1: the cells, with how long each takes\n"
    "  tasks PLAN DIR      the cells to measure, grouped into tasks: a line such as 3-7,9 each\n"
    "  probes PLAN DIR     targets of whose time nothing is known\n"
    "  calibrations PLAN DIR  loads whose limits are percentages\n"
    "  keep PLAN DIR       the plan into the folder\n"
    "  run PLAN DIR        the dialogue with the shell that runs the cells\n"
    "  status DIR          jostle.campaign-status/1\n"
    "  merge DIR...        which cells of several folders make one\n";

static const struct command *find_command(const char *name)
{
    const char *names[sizeof commands / sizeof *commands] = {0};
    for (size_t i = 0; commands[i].name != NULL; i++) {
        names[i] = commands[i].name;
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    usage_error("campaign %s: no such command%s: see campaign --help", name,
                nearest_hint(name, names).text);
}

int main(int argc, char **argv)
{
    streams_open();
    struct command_options values = {0};
    const struct option_group group = {.rows = rows, .values = &values};
    const struct program program = {.name = "campaign",
                                    .usage = "COMMAND [OPERANDS...]",
                                    .intro = intro,
                                    .groups = &group,
                                    .group_count = 1};
    int rest;
    struct options *options = options_parse(&program, argc, argv, &rest);
    if (rest >= argc)
        usage_error("campaign needs a command: see campaign --help");
    const struct command *command = find_command(argv[rest]);
    const int count = argc - rest - 1;
    if (count < command->least || count > command->most)
        usage_error("campaign %s: wrong number of operands: see campaign --help", command->name);
    const int status = command->run(&values, argv + rest + 1, count);
    options_free(options);
    return status;
}
