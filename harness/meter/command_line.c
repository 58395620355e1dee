// Reads the command line of meter, and refuses what would overwrite itself.
#include "command_line.h"

#include "sought.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/metric.h"
#include "common/options.h"
#include "common/perf_event.h"
#include "common/ready.h"
#include "common/text.h"
#include "common/units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A century: more would not fit into 64 bits of nanoseconds for long.
#define TIMEOUT_MAX_NS 3.15e18

static const char *const accounting_names[] = {
    [ACCOUNTING_AUTO] = "auto",       [ACCOUNTING_CGROUP2] = "cgroup2",
    [ACCOUNTING_CGROUP1] = "cgroup1", [ACCOUNTING_RUSAGE] = "rusage",
    [ACCOUNTING_CGROUP] = "cgroup",   NULL,
};

static const char *const counter_sets[] = {
    [COUNTERS_HARDWARE] = "hardware",
    [COUNTERS_SOFTWARE] = "software",
    [COUNTERS_ALL] = "all",
    [COUNTERS_NONE] = "none",
    NULL,
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct command_line, name, argument, type, member)

static const struct option_row rows[] = {
    {ROW("timeout", "TIME", OPTION_TIME, timeout_ns), .minimum = 1e6, .maximum = TIMEOUT_MAX_NS,
     .help = "end the whole tree of processes after TIME: SIGTERM, and 2 s later SIGKILL"},
    {ROW("output", "FILE", OPTION_TEXT, output), .preset = "-",
     .help = "where the record goes; - is stdout"},
    {ROW("stdin", "FILE", OPTION_TEXT, in_path),
     .help =
         "the command reads FILE instead of meter's own stdin; /dev/fd/N, also for the next two, "
         "is the descriptor N that meter was started with"},
    {ROW("stdout", "FILE", OPTION_TEXT, out_path),
     .help = "the command writes to FILE instead of meter's own stdout; pipe: to a pipe that meter "
             "empties"},
    {ROW("stderr", "FILE", OPTION_TEXT, error_path),
     .help = "the command's errors go to FILE instead of meter's own stderr"},
    {ROW("stderr-tail", "FILE", OPTION_TEXT, errors_kept),
     .help = "the command's errors go to a file without a name in $TMPDIR, else /tmp, and the end "
             "of them to FILE when the command has failed"},
    {ROW("cpus", "LIST", OPTION_CPUS, cpus), .help = "bind the command to these CPUs, as in 0-3,8"},
    {ROW("nice", "N", OPTION_INTEGER, nice), .minimum = -20, .maximum = 19,
     .help = "the command's priority, -20 to 19, instead of meter's own"},
    {ROW("with-parent", NULL, OPTION_FLAG, with_parent),
     .help = "end the tree when the process that called meter dies"},
    {ROW("accounting", "KIND", OPTION_CHOICE, accounting), .preset = "auto",
     .choices = accounting_names,
     .help = "how the tree's CPU time is found: cgroup2, cgroup1, rusage, cgroup (cgroup2 or else "
             "cgroup1), auto (the first of cgroup2, cgroup1, rusage that is allowed here)"},
    {ROW("account", "FOLDER", OPTION_LIST, account),
     .help = "COMMAND is a client: CPU time, memory and stalls are those of this control group "
             "while it runs; of version 1 give two, of cpuacct and of memory"},
    {ROW("counters", "SET", OPTION_CHOICE, counters), .preset = "hardware", .choices = counter_sets,
     .help = "what the kernel counts in the tree: hardware (instructions, cycles, cache references "
             "and misses), software (task clock, page faults, context switches), all (both), none"},
    {ROW("metric", "DEFINITION", OPTION_LIST, definition),
     .help = "find a figure in what the command wrote, once it has ended; may be given again: "
             "NAME=stdout:/REGEX/, stderr:/REGEX/, file:PATH:/REGEX/ (POSIX extended, one group "
             "around the figure), jq:EXPRESSION (of JSON on stdout), file:PATH:jq:EXPRESSION, or "
             "what is counted: perf:EVENT[/EVENT], energy:package "
             "(NAME@N=... for the command N of --commands alone), "
             "and behind it ,take=last|first|sum|mean|max ,unit=TEXT ,better=lower|higher. stdout "
             "then goes to a pipe that meter empties, stderr to a file without a name, as with "
             "--stderr-tail"},
    {ROW("keep", "FOLDER", OPTION_TEXT, kept),
     .help = "stdout goes to a pipe, stderr to a file without a name, and the last 1 MiB of them "
             "to FOLDER: "
             "of the last run as target.stdout and target.stderr, of each that failed or lacks a "
             "metric as failed/START.stdout and failed/START.stderr"},
    {ROW("show-output", NULL, OPTION_FLAG, show_output),
     .help = "with --metric or --keep: what the command wrote goes to meter's own stdout and "
             "stderr, too, after each run"},
    {ROW("serve", NULL, OPTION_FLAG, serve),
     .help = "run COMMAND once for each line `run` on stdin, and end at its end, which also ends a "
             "COMMAND that is running. COMMAND reads nothing unless --stdin is given. The first "
             "line of output is a `ready`"},
    {ROW("commands", NULL, OPTION_FLAG, commands),
     .help = "with --serve or --service: several commands, each as FOLDER COUNT WORD...: the "
             "folder in which it "
             "runs (. is meter's own), the number of its words, and those; NAME=VALUE in front of "
             "its first word is for its environment. A line `run N` on stdin "
             "runs the one with the number N, from 0 on, and of a service `restart N` starts it"},
    {ROW("vary", "NAME", OPTION_TEXT, vary),
     .help = "with --serve: a line `run N VALUE` on stdin puts VALUE in the place of each {NAME} "
             "in the words of that run's COMMAND"},
    {ROW("service", NULL, OPTION_FLAG, service),
     .help = "COMMAND is a server for others: for each line on stdin start it (`start`, "
             "`restart`), write what it used since the last mark (`mark`), or end it (`stop`); "
             "the end of what it writes goes to --stdout and --stderr"},
    {ROW("ready", "SIGN", OPTION_TEXT, ready), .check = ready_check, .wrong = "port:x",
     .help = "with --service: what shows that it can be used: port:N, http:URL, match:/REGEX/ in "
             "its output, or a command that succeeds"},
    {ROW("ready-timeout", "TIME", OPTION_TIME, ready_timeout_ns), .minimum = 1e6,
     .maximum = TIMEOUT_MAX_NS, .preset = "30s",
     .help = "with --service: give up when it is not ready after TIME"},
    {ROW("stop-signal", "SIGNAL", OPTION_TEXT, stop_name), .check = signal_check,
     .wrong = "NOSIGNAL", .preset = "TERM",
     .help = "with --service: what ends it; 10 s later SIGKILL does"},
    {0},
};

static const char intro[] = "Runs COMMAND once and writes what it took, as one JSON line.";

static const char details[] =
    "The time is until COMMAND itself has ended. Descendants that then still live have 50 ms to "
    "end by themselves; those that do not are ended (SIGTERM, half a second later SIGKILL) and "
    "counted as \"survivors\". CPU time and memory are those of the whole tree, with descendants "
    "that nobody waited for. Counters that the machine does not have or does not allow are null "
    "and named as \"absent\".\n\n"
    "Exit status: 0 the record was written, whatever the command's own exit code (it is in the "
    "record; 127 and 126 with a \"start_error\" when it could not be started); 1 nothing was run, "
    "because a file, a CPU or a group could not be had; 2 wrong use; 125 meter failed after the "
    "start; 128 + signal, with a record, when meter was interrupted.";

const char *accounting_name(enum accounting accounting)
{
    return accounting_names[accounting];
}

static struct target *add_target(struct command_line *asked)
{
    const size_t size = (asked->target_count + 1) * sizeof *asked->target;
    asked->target = must(realloc(asked->target, size));
    struct target *target = &asked->target[asked->target_count];
    *target = (struct target){.number = asked->target_count++};
    return target;
}

// FOLDER COUNT WORD...; returns what follows.
static char **take_one(struct command_line *asked, char **words)
{
    uint64_t count;
    if (!words[1] || units_count(words[1], &count) != 0 || count == 0)
        usage_error("--commands: %s: not FOLDER COUNT WORD...: give how many words follow",
                    words[0]);
    struct target *target = add_target(asked);
    target->folder = strcmp(words[0], ".") == 0 ? NULL : words[0];
    target->variables = true;
    // The words move onto their count, so that a NULL fits behind them.
    char **to = target->words = words + 1;
    for (char **from = words + 2; count > 0; count--, from++) {
        if (!*from)
            usage_error("--commands: %s: words are missing: give as many as its COUNT", words[0]);
        *to++ = *from;
    }
    *to = NULL;
    return to + 1;
}

static void take_targets(struct command_line *asked, char **words)
{
    if (!words[0])
        usage_error("no command: give one after --, as in meter -- sleep 1");
    if (!asked->commands)
        add_target(asked)->words = words;
    while (asked->commands && words[0])
        words = take_one(asked, words);
}

// For which command the newest metric is.
static void take_target(const struct command_line *asked, struct sought *sought)
{
    const struct metric *metric = &sought->metric;
    uint64_t number = ANY_TARGET;
    if (metric->variant && (!asked->commands || units_count(metric->variant, &number) != 0))
        usage_error("metric %s@%s: it is for a command of --commands: give its number, from 0 on",
                    metric->name, metric->variant);
    sought->only = number;
    for (const struct sought *one = asked->sought; one < sought; one++)
        if (one->only == number && strcmp(one->metric.name, metric->name) == 0)
            usage_error("metric %s: it is given twice: choose another name", metric->name);
}

// Reads the definitions, and with them what has to be captured.
static void take_metrics(struct command_line *asked)
{
    const size_t count = asked->definition.count;
    char error[512];
    bool searches[METRIC_SOURCES] = {false};
    asked->sought = must(calloc(count + 1, sizeof *asked->sought));
    for (size_t i = 0; i < count; i++) {
        struct sought *sought = &asked->sought[i];
        if (!metric_parse(&sought->metric, asked->definition.item[i], error, sizeof error))
            usage_error("%s", error);
        take_target(asked, sought);
        searches[sought->metric.source] = true;
    }
    const bool piped = asked->out_path && !asked->service && strcmp(asked->out_path, "pipe") == 0;
    if (piped)
        asked->out_path = NULL;
    asked->captures_out = !asked->out_path && (searches[METRIC_STDOUT] || asked->kept);
    asked->drains_out = piped || asked->captures_out;
    asked->captures_errors =
        !asked->error_path && (searches[METRIC_STDERR] || asked->kept || asked->errors_kept);
}

// What says nothing without another option.
static void check_needed(const struct command_line *asked, const struct options *given)
{
    static const char *const of_service[] = {"ready", "ready-timeout", "stop-signal"};
    for (size_t i = 0; i < sizeof of_service / sizeof *of_service; i++)
        if (!asked->service && options_given(given, of_service[i]))
            usage_error("--%s is about a service: give --service, or leave it out", of_service[i]);
    if (asked->commands && !asked->serve && !asked->service)
        usage_error("--commands: it needs --serve or --service, whose lines say which one to run");
    if (asked->vary && !asked->serve)
        usage_error("--vary: it needs --serve, whose lines say which value");
}

static void check_numbers(const struct command_line *asked)
{
    for (size_t i = 0; i < asked->definition.count; i++) {
        const struct sought *sought = &asked->sought[i];
        if (sought->only != ANY_TARGET && sought->only >= asked->target_count)
            usage_error("metric %s@%zu: there are %zu commands: give a number from 0 on",
                        sought->metric.name, sought->only, asked->target_count);
    }
}

void command_line_free(struct command_line *asked)
{
    for (size_t i = 0; i < asked->definition.count; i++)
        metric_free(&asked->sought[i].metric);
    free(asked->sought);
    free(asked->target);
    options_free(asked->given);
}

struct named {
    const char *option;
    const char *path; // NULL: not given
};

static void refuse_same(const struct named *first, const struct named *second)
{
    if (first->path && second->path && file_is_same(first->path, second->path))
        usage_error("%s and %s are one file, %s: one would overwrite the other: give two",
                    first->option, second->option, second->path);
}

// Ends meter with wrong use where the record, the command's output or its input
// would go over each other, also by different names of one file. Of stdout and stderr one file
// for both is fine. Before any is opened, as that empties them.
static void clash_refuse(const struct command_line *asked)
{
    char kept_out[PATH_MAX] = "", kept_errors[PATH_MAX] = "";
    if (asked->kept) {
        (void)snprintf(kept_out, sizeof kept_out, "%s/target.stdout", asked->kept);
        (void)snprintf(kept_errors, sizeof kept_errors, "%s/target.stderr", asked->kept);
    }
    const bool to_stdout = strcmp(asked->output, "-") == 0;
    const struct named record = {to_stdout ? "the record on stdout" : "--output",
                                 to_stdout ? "/dev/fd/1" : asked->output};
    const struct named input = {"--stdin", asked->in_path};
    const struct named written[] = {{"--stdout", asked->out_path},
                                    {"--stderr", asked->error_path},
                                    {"--stderr-tail", asked->errors_kept},
                                    {"--keep's target.stdout", asked->kept ? kept_out : NULL},
                                    {"--keep's target.stderr", asked->kept ? kept_errors : NULL}};
    refuse_same(&record, &input);
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        refuse_same(&record, &written[i]);
        refuse_same(&input, &written[i]);
    }
}

void command_line_read(struct command_line *asked, int argc, char **argv)
{
    const struct option_group group = {.rows = rows, .values = asked};
    const struct program program = {.name = "meter",
                                    .usage = "-- COMMAND [ARGUMENT...]",
                                    .intro = intro,
                                    .details = details,
                                    .groups = &group,
                                    .group_count = 1,
                                    .stop_at_operand = true};
    int rest;
    *asked = (struct command_line){0};
    const struct options *given = asked->given = options_parse(&program, argc, argv, &rest);
    asked->has_nice = options_given(given, "nice");
    check_needed(asked, given);
    take_metrics(asked);
    if (asked->account.count > 2)
        usage_error("--account: more than two folders: give those of one control group");
    take_targets(asked, argv + rest);
    check_numbers(asked);
    if (asked->error_path && asked->errors_kept)
        usage_error("--stderr and --stderr-tail: give one of them");
    if (asked->kept && asked->errors_kept)
        usage_error("--keep and --stderr-tail: give one of them, --keep also keeps stderr");
    if (asked->service && asked->serve)
        usage_error("--service and --serve: give one of them");
    if (asked->service && !asked->ready)
        usage_error("--service: how is it known that it is up? Give --ready, such as port:6379");
    asked->stop_signal = signal_number(asked->stop_name);
    // Our own stdin has the commands.
    if (asked->serve && !asked->in_path)
        asked->in_path = "/dev/null";
    clash_refuse(asked);
}
