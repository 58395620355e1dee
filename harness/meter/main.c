// meter: runs a command, once or again and again, and writes what it took, as one JSON line a
// run.
#include "account.h"
#include "accounting.h"
#include "capture.h"
#include "command_line.h"
#include "drain.h"
#include "extract.h"
#include "kept_output.h"
#include "launch.h"
#include "meter_record.h"
#include "open_files.h"
#include "perf_counters.h"
#include "run.h"
#include "service.h"
#include "signals.h"
#include "stalls.h"
#include "supervise.h"

#include "common/cgroup.h"
#include "common/counters.h"
#include "common/file.h"
#include "common/group.h"
#include "common/keeper.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/text.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

// What all runs of one command share.
struct runner {
    const struct command_line *asked;
    struct signals signals;
    struct counter_files kernel;
    struct group group; // of the run that is to come, or of the current one
    struct account account;
    struct launch launch;
    struct target
        varied; // its target with --vary: a value in the place of {NAME}, in each run anew
    struct extractor extractor;
    int kills_fd;     // of the group that is counted, see struct run; -1: none counts them
    size_t runs;      // that were made
    uint32_t refused; // counters that the kernel has refused before, see perf_counters_open
    int own_fd;       // of schedstat: meter's own; -1: the kernel has none
    int output_fd;
    int hangup_fd; // see struct run
};

static void varied_free(struct target *varied)
{
    for (char **word = varied->words; word && *word; word++)
        free(*word);
    free(varied->words);
    varied->words = NULL;
}

// The target with the value in the place of each {NAME}.
static void varied_take(struct target *varied, const struct target *target, const char *name,
                        const char *value)
{
    OWNED char *placeholder = text_of("{%s}", name);
    size_t count = 0;
    varied_free(varied);
    while (target->words[count])
        count++;
    *varied = *target;
    varied->words = must(calloc(count + 1, sizeof *varied->words));
    for (size_t i = 0; i < count; i++)
        varied->words[i] = text_replaced(target->words[i], placeholder, value);
}

static bool check_kept(const char *folder)
{
    return !folder || access(folder, W_OK | X_OK) == 0 ||
           complain("--keep %s: %s: name a folder that can be written", folder, strerror(errno));
}

// The stalls of the group that is counted, and whom the kernel kills in it.
static void open_group(struct runner *runner)
{
    const bool of_others = runner->account.group.kind != GROUP_NONE;
    const struct group *group = of_others ? &runner->account.group : &runner->group;
    stalls_open(&runner->launch.stalls, group);
    const int memory_fd = runner->account.memory_fd;
    if (memory_fd >= 0 || group->kind == GROUP_V2)
        runner->kills_fd = cgroup_kills_open_at(memory_fd >= 0 ? memory_fd : group->folder_fd);
}

static void close_group(struct runner *runner)
{
    stalls_close(&runner->launch.stalls);
    fd_close(&runner->kills_fd);
}

static int64_t kills_now(const struct runner *runner)
{
    uint64_t kills;
    return cgroup_kills(runner->kills_fd, &kills) ? (int64_t)kills : UNKNOWN;
}

static bool find_group(struct runner *runner)
{
    if (!account_open(&runner->account, runner->asked) ||
        !accounting_find(&runner->group, runner->asked->accounting))
        return false;
    open_group(runner);
    return true;
}

// Gets everything that the first run needs. False after a message.
static bool run_begin(struct runner *runner, const struct command_line *asked)
{
    runner->asked = asked;
    runner->launch.target = asked->target;
    counters_open(&runner->kernel, true);
    // Orphans of the target become our children instead of init's.
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the tree's reaper: %s", strerror(errno));
    runner->own_fd = schedstat_open(0);
    return launch_open_output(&runner->output_fd, asked->output) && check_kept(asked->kept) &&
           extract_begin(&runner->extractor, asked) && launch_prepare(&runner->launch, asked) &&
           find_group(runner);
}

static int write_record(const struct runner *runner, const struct run *run)
{
    const struct outcome *outcome = &run->outcome;
    if (outcome->unkillable > 0)
        complain("%zu processes of the tree cannot be killed: they are left behind",
                 outcome->unkillable);
    if (!outcome->ended)
        return EXIT_LOST;
    if (!meter_record_write(run, runner->output_fd)) {
        (void)save_complain(runner->asked->output);
        return EXIT_LOST;
    }
    return outcome->interrupted != 0 ? EXIT_BY_SIGNAL + outcome->interrupted : EXIT_RECORDED;
}

// Where finding metrics may take a while, says first that the run has ended: whatever else
// they measure over the run may end now.
static bool say_ended(const struct runner *runner)
{
    static const char ended[] = "{\"event\":\"ended\"}\n";
    return !runner->asked->serve || !runner->extractor.reads ||
           file_write_all(runner->output_fd, ended, strlen(ended));
}

// What the target wrote to one of its streams; -1: that is gone.
static int out_to_read(int captured_fd, bool is_captured, const char *path)
{
    return is_captured ? captured_fd : !path ? -1 : launch_open(path, O_RDONLY);
}

static void find_metrics(struct runner *runner)
{
    const struct command_line *asked = runner->asked;
    const struct launch *launch = &runner->launch;
    const struct extract_from from = {
        .out_fd = out_to_read(launch->drain.error == 0 ? launch->drain.kept_fd : -1,
                              asked->captures_out, asked->out_path),
        .error_fd =
            out_to_read(launch->captured_error_fd, asked->captures_errors, asked->error_path)};
    extract(&runner->extractor, &from);
    if (from.out_fd >= 0 && !asked->captures_out)
        (void)close(from.out_fd);
    if (from.error_fd >= 0 && !asked->captures_errors)
        (void)close(from.error_fd);
}

// Finds the metrics, and keeps what the target wrote where the run failed.
static bool take_output(struct runner *runner, struct run *run)
{
    const struct outcome *outcome = &run->outcome;
    const bool failed = outcome->status != 0 || outcome->timed_out ||
                        outcome->stops.terminal != 0 || !outcome->ended;
    runner->runs++;
    if (!say_ended(runner))
        return complain("--output: %s", strerror(errno));
    if (runner->extractor.count > 0)
        find_metrics(runner);
    if (failed || !extract_is_sound(&runner->extractor))
        keep_failed(&runner->launch, runner->asked, &run->kept);
    keep_show(&runner->launch, runner->asked);
    return true;
}

// All that the target wrote is there now. False after a message: it is not, so that what was
// measured is a target that could not write, and its figures cannot be found.
static bool end_output(struct launch *launch, const struct command_line *asked)
{
    drain_end(&launch->drain);
    const int error = launch->drain.error != 0 ? launch->drain.error
                      : asked->captures_errors && !capture_takes(launch->captured_error_fd) ? errno
                                                                                            : 0;
    return error == 0 || complain("what the command wrote is lost or cut off: %s: set TMPDIR to a "
                                  "folder with room for it",
                                  strerror(error));
}

// One run, with its counters open.
static int measure(struct runner *runner, struct run *run)
{
    const struct launch_report *report = runner->launch.report;
    struct outcome *outcome = &run->outcome;
    counters_take(&runner->kernel, &run->before);
    run->kills_before = kills_now(runner);
    if (!account_begin(&runner->account))
        return EXIT_NOT_RUN;
    extract_start(&runner->extractor);
    if (!launch_start(&runner->launch, runner->asked, &runner->signals, &runner->group))
        return EXIT_NOT_RUN;
    supervise(run);
    extract_stop(&runner->extractor);
    const bool has_output = end_output(&runner->launch, runner->asked);
    if (report->failed_step) {
        const bool denied = report->step_error == EACCES || report->step_error == EPERM;
        complain("%s: %s: nothing was run%s", report->failed_step, strerror(report->step_error),
                 denied ? ": give a value that you may set, or run as root" : "");
        return EXIT_NOT_RUN;
    }
    if (report->start_ns == 0) {
        complain("the command was killed before it began: nothing was run");
        return outcome->interrupted != 0 ? EXIT_BY_SIGNAL + outcome->interrupted : EXIT_NOT_RUN;
    }
    if (!has_output)
        return EXIT_LOST;
    perf_counters_read(&run->counters);
    run->kills_after = kills_now(runner);
    group_read(&runner->group, &run->group_usage);
    usage_choose(&outcome->usage, accounting_of(&runner->group), &run->group_usage,
                 report->launch_ns, report->launch_ns - report->outside_ns);
    if (!account_end(&runner->account, &outcome->usage, &run->group_usage))
        return EXIT_LOST;
    // What the client waited for is not what the others did.
    outcome->stalls.has_delay =
        outcome->stalls.has_delay && runner->account.group.kind == GROUP_NONE;
    if (!take_output(runner, run))
        return EXIT_LOST;
    const int code = write_record(runner, run);
    // What is left of this run would be in the next one.
    return code == EXIT_RECORDED && outcome->unkillable > 0 ? EXIT_LOST : code;
}

// Runs the command and writes its record. Returns how meter should exit
// if it was the only run; EXIT_RECORDED means that another one may follow.
static int run_once(struct runner *runner)
{
    struct run run = {.launch = &runner->launch,
                      .group = &runner->group,
                      .signals = &runner->signals,
                      .kernel = &runner->kernel,
                      .extractor = &runner->extractor,
                      .own_fd = runner->own_fd,
                      .timeout_ns = runner->asked->timeout_ns,
                      .hangup_fd = runner->hangup_fd};
    if (!launch_prepare(&runner->launch, runner->asked) ||
        !launch_open_input(&runner->launch, runner->asked))
        return EXIT_NOT_RUN;
    extract_before(&runner->extractor, runner->launch.target);
    perf_counters_open(&run.counters, runner->asked->counters, runner->refused);
    const int code = measure(runner, &run);
    // Who looks at a target once learns whether it uses a network; every run would pay for it.
    runner->kernel.network = false;
    runner->refused = run.counters.refused;
    perf_counters_close(&run.counters);
    launch_close(&runner->launch);
    return code;
}

// Gets ready for another run, which takes the kernel a while and so is
// done before it is wanted. False after a message.
static bool run_again(struct runner *runner)
{
    close_group(runner);
    group_remove(&runner->group);
    if (!group_make(&runner->group)) {
        if (runner->asked->accounting != ACCOUNTING_AUTO)
            return complain("%s: %s: use --accounting auto", runner->group.path, strerror(errno));
        group_give_up(&runner->group);
    }
    open_group(runner);
    return true;
}

// Gives back what run_begin() has got, or a part of that. Leaves no group behind.
static void run_end(struct runner *runner)
{
    if (runner->runs > 0)
        keep_last(&runner->launch, runner->asked);
    drain_end(&runner->launch.drain);
    drain_free(&runner->launch.drain);
    extract_end(&runner->extractor);
    varied_free(&runner->varied);
    close_group(runner);
    group_remove(&runner->group);
    account_close(&runner->account);
    fd_close(&runner->own_fd);
    counters_close(&runner->kernel);
}

// The commands that have been read, and not been carried out yet.
struct commands {
    char text[256];
    size_t length;
};

enum command { COMMAND_RUN, COMMAND_NONE, COMMAND_UNKNOWN };

// Reads `run`, `run N` or, with --vary, `run N VALUE`, which sets the target. False: it
// is no such line. The line is cut into its words.
static bool parse_run(char *line, struct runner *runner)
{
    const struct command_line *asked = runner->asked;
    uint64_t number = 0;
    const char *word = strsep(&line, " "), *target = strsep(&line, " "), *value = line;
    if (strcmp(word, "run") != 0 || (target && units_count(target, &number) != 0) ||
        number >= asked->target_count || !value != !asked->vary)
        return false;
    runner->launch.target = &asked->target[number];
    if (value) {
        varied_take(&runner->varied, &asked->target[number], asked->vary, value);
        runner->launch.target = &runner->varied;
    }
    return true;
}

// Takes the first whole line, NONE where there is none yet.
static enum command take_line(struct commands *commands, struct runner *runner)
{
    char *end = memchr(commands->text, '\n', commands->length);
    if (!end)
        return commands->length == sizeof commands->text ? COMMAND_UNKNOWN : COMMAND_NONE;
    const size_t length = (size_t)(end - commands->text);
    *end = '\0';
    const bool known = parse_run(commands->text, runner);
    commands->length -= length + 1;
    memmove(commands->text, end + 1, commands->length);
    return known ? COMMAND_RUN : COMMAND_UNKNOWN;
}

// Waits for more of stdin. False at its end, or when a signal has come:
// *signal_number is that signal, or 0.
static bool read_more(struct commands *commands, const struct signals *signals, int *signal_number)
{
    struct pollfd files[] = {{.fd = signals->fd, .events = POLLIN},
                             {.fd = STDIN_FILENO, .events = POLLIN}};
    for (*signal_number = 0;;) {
        if (poll(files, 2, -1) < 0 && errno != EINTR)
            return false;
        // These may still be there from the last run.
        do
            *signal_number = signals_next(signals, NULL);
        while (*signal_number == SIGCHLD || *signal_number == SIGCONT ||
               *signal_number == SIGNAL_END_RUN);
        if (*signal_number != 0)
            return false;
        if (files[1].revents == 0)
            continue;
        const ssize_t length = read(STDIN_FILENO, commands->text + commands->length,
                                    sizeof commands->text - commands->length);
        if (length > 0)
            commands->length += (size_t)length;
        return length > 0;
    }
}

// RUN, or NONE at the end; *code is meter's exit code then.
static enum command next_command(struct commands *commands, struct runner *runner, int *code)
{
    enum command command;
    while ((command = take_line(commands, runner)) == COMMAND_NONE) {
        int signal_number;
        if (!read_more(commands, &runner->signals, &signal_number)) {
            *code = signal_number == 0 ? EXIT_RECORDED : EXIT_BY_SIGNAL + signal_number;
            return COMMAND_NONE;
        }
    }
    if (command == COMMAND_UNKNOWN) {
        complain("--serve: a line is no command: write run, or run N with the number of a command, "
                 "and with --vary a value behind it");
        *code = EXIT_WRONG_USE;
    }
    return command;
}

// Makes a run for each line `run` or `run N` (of the command N) on stdin, until its end.
// Returns meter's exit code.
static int serve(struct runner *runner)
{
    static const char ready[] = "{\"event\":\"ready\"}\n";
    struct commands commands = {.length = 0};
    int code = EXIT_RECORDED;
    runner->hangup_fd = STDIN_FILENO;
    if (!file_write_all(runner->output_fd, ready, strlen(ready))) {
        complain("--output: %s", strerror(errno));
        return EXIT_LOST;
    }
    for (;;) {
        const enum command command = next_command(&commands, runner, &code);
        if (command != COMMAND_RUN)
            return code;
        code = run_once(runner);
        if (code != EXIT_RECORDED)
            return code;
        if (!run_again(runner))
            return EXIT_NOT_RUN;
    }
}

// The run, or with --serve all of them. Returns meter's exit code.
static int run_all(struct runner *runner, const struct command_line *asked)
{
    int code = EXIT_NOT_RUN;
    if (run_begin(runner, asked))
        code = asked->serve ? serve(runner) : run_once(runner);
    run_end(runner);
    return code;
}

int main(int argc, char **argv)
{
    streams_open();
    const pid_t caller = getppid();
    struct command_line asked;
    struct runner runner = {.group = GROUP_OF_NONE,
                            .account = ACCOUNT_OF_NONE,
                            .launch = {.drain = DRAIN_OF_NONE, .captured_error_fd = -1},
                            .own_fd = -1,
                            .kills_fd = -1,
                            .hangup_fd = -1};
    command_line_read(&asked, argc, argv);
    int code = EXIT_NOT_RUN;
    const struct keeper keeper = {.passed = &runner.signals.awaited,
                                  .name = "meter-keeper",
                                  .parent = asked.with_parent || asked.service ? caller : 0,
                                  .always = true,
                                  .tidy = accounting_sweep};
    if (signals_take(&runner.signals) && keeper_start(&keeper, &code)) {
        if (asked.service)
            code = service_run(&asked, &runner.signals);
        else
            code = run_all(&runner, &asked);
    }
    command_line_free(&asked);
    return code;
}
