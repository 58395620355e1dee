// campaign: what a campaign is made of, how far it is, and what to measure next. It reads
// and writes files; processes are the shell's. This file has its options.

#define OPTIONS_OF struct campaign

#include "campaign.h"

#include "common/memory.h"

#include <stdio.h>
#include <string.h>

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
