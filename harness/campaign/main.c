// campaign: what a campaign is made of, how far it is, and what to measure next. It
// reads and writes files; processes are the shell's. Here: its options, and the commands that
// measure, look on and merge.
#define OPTIONS_OF struct campaign

#include "campaign.h"

#include "common/file.h"
#include "common/memory.h"
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

static json_t *cell_status(const struct state *state, const char *shown, const char *reason,
                           double now_s)
{
    const json_t *status = state->status;
    // Whether somebody should look at it: it does not go on by itself.
    const bool attention = strcmp(shown, "stale") == 0 || strcmp(shown, "failed") == 0 ||
                           (strcmp(shown, "interrupted") == 0 && reason[0] != '\0');
    return json_pack(
        "{so so ss ss? so so so so so so so so so ss? sb sb}", "number",
        json_member(state->cell, "number"), "name", json_member(state->cell, "name"), "state",
        shown, "reason", reason[0] ? reason : NULL, "host", json_member(status, "host"), "runs",
        json_integer((json_int_t)number_of(status, "runs", 0)), "max_runs",
        json_member(status, "max_runs"), "expected_runs", json_member(status, "expected_runs"),
        "error", json_member(status, "error"), "asked_error", json_member(status, "asked_error"),
        "updated", json_member(status, "updated"), "age_s",
        number_to_json(cell_age_s(status, now_s)), "spent_s", json_member(status, "spent_s"), "job",
        json_text_at(status, "job"), "changed", state_is(state, "changed"), "attention", attention);
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

static void count_one(json_t *counts, const char *name)
{
    const json_int_t count = json_integer_value(json_object_get(counts, name));
    json_object_set_new(counts, name, json_integer(count + 1));
}

// What was submitted, with what the queue says of it.
static json_t *jobs_of(const char *folder, const struct queue *queue)
{
    json_t *jobs = json_array();
    OWNED char *path = text_of("%s/jobs/jobs.tsv", folder), *line = NULL;
    FILE *file = file_open_record(path);
    size_t size = 0;
    while (file && getline(&line, &size, file) > 0) {
        char *rest = line;
        const char *time = strsep(&rest, "\t\n"), *scheduler = strsep(&rest, "\t\n");
        const char *role = strsep(&rest, "\t\n"), *id = strsep(&rest, "\t\n");
        if (!id || id[0] == '\0')
            continue;
        json_t *job =
            json_pack("{ss ss ss ss so*}", "submitted", time, "scheduler", scheduler, "role", role,
                      "id", id, "states", json_incref(json_object_get(queue->tasks, id)));
        if (!json_object_get(job, "states"))
            json_put(job, "states", queue->answers ? json_object() : json_null());
        json_add(jobs, job);
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

// With DIR/jobs/jobs.tsv: lines TIME<TAB>SCHEDULER<TAB>ROLE<TAB>ID of what was submitted. To be
// released.
static json_t *status_of(const struct campaign *campaign, const struct queue *queue, double now_s)
{
    const struct states *states = &campaign->states;
    struct means means;
    json_t *cells = json_array(), *counts = json_pack("{si}", "cells", (int)states->count);
    double rest_s = 0;
    for (size_t i = 0; state_names[i] != NULL; i++)
        json_put(counts, state_names[i], json_integer(0));
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        char reason[REASON_SIZE];
        const char *shown =
            shown_state(campaign->folder, state, queue, now_s, reason, sizeof reason);
        count_one(counts, shown);
        rest_s += rest_of(state, shown, &means);
        json_array_append_new(cells, cell_status(state, shown, reason, now_s));
    }
    means_free(&means);
    // Cells that are measured at the same time share the time that is left.
    const double at_once = number_of(counts, "running", 0);
    json_t *left = isnan(rest_s) || at_once <= 0 ? json_null() : json_real(rest_s / at_once);
    return json_pack("{ss so so so so so sb so so}", "schema", SCHEMA_CAMPAIGN_STATUS, "name",
                     json_member(campaign->plan, "name"), "folder", text_to_json(campaign->folder),
                     "counts", counts, "left_s", left, "jobs", jobs_of(campaign->folder, queue),
                     "queue", queue->answers, "sessions", sessions_status(cells, states), "cells",
                     cells);
}

// Prints the ids of jobs, a line each, that cells say measure them, and that are not in
// the queue.
static void status_print_lost(const struct states *states, const struct queue *queue)
{
    json_auto_t *printed = json_object();
    for (size_t i = 0; i < states->count; i++) {
        const char *job = json_text_at(states->list[i].status, "job");
        if (!state_is(&states->list[i], "running") || !job || json_object_get(queue->states, job) ||
            json_object_get(printed, job))
            continue;
        json_object_set_new(printed, job, json_true());
        puts(job);
    }
}

// Prints "ready" and how many cells are to be measured, then obeys: see drive().
static int command_run(struct campaign *campaign)
{
    size_t todo = 0;
    if (!campaign->scratch || !campaign->stderr_path || (campaign->conf && !campaign->file))
        usage_error("campaign run needs --scratch and --stderr, and --file with --conf");
    // Whoever shares the folder would build while others measure.
    if (campaign->shared && json_text_at(campaign->plan, "session_prepare"))
        return !complain("session-prepare cannot run while others measure cells (--cells, jostle "
                         "submit): prepare each session yourself, and take it out of the file");
    if (!folder_hold(campaign->folder, campaign->shared) ||
        (campaign->conf && !folder_keep_plan(campaign)))
        return 1;
    campaign->states = states_read(campaign->folder, campaign->chosen, campaign->retry_failed);
    for (size_t i = 0; i < campaign->states.count; i++)
        todo += campaign->states.list[i].todo;
    OWNED char *text = text_of("%zu", todo);
    pair_put("ready", text);
    pair_put("over", "");
    return print_end() == 0 && drive(campaign) ? 0 : 1;
}

// Into a file, for other programs: then prints how many cells are to be measured, and how many
// failed.
static bool write_status(const json_t *status, const char *path)
{
    const json_t *counts = json_object_get(status, "counts");
    const double failed = number_of(counts, "failed", 0);
    OWNED char *text =
        must(json_dumps(status, (path ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(12)));
    const bool written = path ? save_text(path, text, SAVE_STATE) : puts(text) != EOF;
    if (path && written)
        printf("%.0f\t%.0f\n",
               number_of(counts, "cells", 0) - number_of(counts, "done", 0) - failed, failed);
    return written || (path && save_complain(path));
}

static int command_status(struct campaign *campaign)
{
    struct queue queue;
    bool good = true;
    queue_read(&queue, campaign->queue, campaign->fates);
    if (campaign->lost) {
        status_print_lost(&campaign->states, &queue);
    } else {
        json_auto_t *status = status_of(campaign, &queue, (double)time(NULL));
        good = write_status(status, campaign->output);
    }
    queue_free(&queue);
    return print_end() == 0 && good ? 0 : 1;
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
    TEXT("plan", "FILE", plan_path, "expand, merge: where to write the plan"),
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

// What is read before a command begins: the plan that its first operand is, in the folder that its
// second one is or in the only one; and the states of the cells.
enum reads { READS_NOTHING, READS_PLAN, READS_STATES, READS_FOLDER };

static const struct command {
    const char *name;
    int (*run)(struct campaign *campaign);
    size_t least, most; // operands
    enum reads reads;
} commands[] = {{"expand", command_expand, 0, 0, READS_NOTHING},
                {"describe", command_describe, 1, 1, READS_PLAN},
                {"plan", command_plan, 2, 2, READS_STATES},
                {"tasks", command_tasks, 2, 2, READS_STATES},
                {"probes", command_probes, 2, 2, READS_STATES},
                {"calibrations", command_calibrations, 2, 2, READS_STATES},
                {"keep", command_keep, 2, 2, READS_PLAN},
                {"run", command_run, 2, 2, READS_PLAN},
                {"status", command_status, 1, 1, READS_FOLDER},
                {"merge", command_merge, 1, 1 << 20, READS_NOTHING},
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

static void read_plan(struct campaign *campaign, enum reads reads)
{
    OWNED char *path = reads == READS_FOLDER ? text_of("%s/campaign.json", campaign->operand[0])
                                             : text_of("%s", campaign->operand[0]);
    campaign->folder = campaign->operand[campaign->operands - 1];
    campaign->plan = plan_read(path);
    campaign->chosen = plan_choose(campaign);
    if (reads >= READS_STATES)
        campaign->states = states_read(campaign->folder, campaign->chosen, campaign->retry_failed);
}

int main(int argc, char **argv)
{
    streams_open();
    struct campaign campaign = {0};
    const struct option_group group = {.rows = rows, .values = &campaign};
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
    campaign.operand = argv + rest + 1;
    campaign.operands = (size_t)(argc - rest - 1);
    if (campaign.operands < command->least || campaign.operands > command->most)
        usage_error("campaign %s: wrong number of operands: see campaign --help", command->name);
    if (command->reads != READS_NOTHING)
        read_plan(&campaign, command->reads);
    const int status = command->run(&campaign);
    states_free(&campaign.states);
    json_decref(campaign.chosen);
    json_decref(campaign.plan);
    options_free(options);
    return status;
}
