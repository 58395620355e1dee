/* campaign: what a campaign is made of, how far it is, and what to measure next. It
 * reads and writes files; processes are the shell's. */
#include "command.h"
#include "folder.h"

#include "common/messages.h"
#include "common/option_rows.h"
#include "common/option_value.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_OF struct command_options

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
    int least, most; /* operands */
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
    const char *near = nearest_name(name, names);
    usage_error("campaign %s: no such command%s%s%s: see campaign --help", name,
                near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
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
