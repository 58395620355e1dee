#include "run.h"

#include "common/messages.h"
#include "counters.h"
#include "errors.h"
#include "record.h"
#include "schedstat.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool open_output(int *fd, const char *path)
{
    *fd = strcmp(path, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                 : launch_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    return *fd >= 0 ||
           complain("--output %s: %s: name a file that can be written", path, strerror(errno));
}

// follow_parent: SIGTERM when the caller dies.
static bool follow_parent(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
        return complain("--with-parent: %s", strerror(errno));
    return getppid() == parent || complain("--with-parent: the caller is gone");
}

static bool find_group(struct runner *runner)
{
    if (!accounting_find(&runner->group, runner->settings->accounting))
        return false;
    stalls_open(&runner->launch.stalls, &runner->group);
    return true;
}

bool run_begin(struct runner *runner, const struct settings *settings, pid_t parent)
{
    runner->settings = settings;
    runner->launch.target = settings->target;
    system_find(&runner->sources);
    // Orphans of the target become our children instead of init's.
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the tree's reaper: %s", strerror(errno));
    runner->own_fd = schedstat_open(0);
    return (!settings->with_parent || follow_parent(parent)) &&
           open_output(&runner->output_fd, settings->output) &&
           launch_prepare(&runner->launch, settings) && find_group(runner);
}

static int write_record(const struct runner *runner, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    if (outcome->unkillable > 0)
        complain("%zu processes of the tree cannot be killed: they are left behind",
                 outcome->unkillable);
    if (!outcome->ended)
        return EXIT_LOST;
    if (!record_write(record, runner->output_fd)) {
        complain("the record cannot be written: %s", strerror(errno));
        return EXIT_LOST;
    }
    return outcome->interrupted != 0 ? EXIT_BY_SIGNAL + outcome->interrupted : EXIT_RECORDED;
}

// keep_errors: what a failed target wrote to its stderr. Before the record is written:
// its reader may then go and see. That it is lost is no failure of the run.
static void keep_errors(const struct runner *runner, const struct outcome *outcome)
{
    const char *path = runner->settings->errors_kept;
    const bool failed = outcome->status != 0 || outcome->timed_out || outcome->stops.terminal != 0;
    if (path == NULL || (outcome->ended && !failed) || errors_keep(runner->launch.errors_fd, path))
        return;
    complain("--stderr-tail %s: %s: the target's errors are lost", path, strerror(errno));
}

// measure: one run, with its counters open.
static int measure(struct runner *runner, struct counters *counters)
{
    const struct supervision supervision = {.launch = &runner->launch,
                                            .group = &runner->group,
                                            .signals = &runner->signals,
                                            .sources = &runner->sources,
                                            .own_fd = runner->own_fd,
                                            .timeout_ns = runner->settings->timeout_ns,
                                            .hangup_fd = runner->hangup_fd};
    const struct launch_report *report = runner->launch.report;
    struct system_totals before;
    struct outcome outcome;
    struct group_usage group;
    system_read(&before, &runner->sources);
    if (!launch_start(&runner->launch, runner->settings, &runner->signals, &runner->group))
        return EXIT_NOT_RUN;
    supervise(&outcome, &supervision);
    if (report->failed_step != NULL) {
        const bool denied = report->step_error == EACCES || report->step_error == EPERM;
        complain("%s: %s: nothing was run%s", report->failed_step, strerror(report->step_error),
                 denied ? ": give a value that you may set, or run as root" : "");
        return EXIT_NOT_RUN;
    }
    keep_errors(runner, &outcome);
    counters_read(counters);
    group_read(&runner->group, &group);
    usage_choose(&outcome.usage, accounting_of(&runner->group), &group, report->launch_ns,
                 report->launch_ns - report->outside_ns);
    const struct record record = {.report = report,
                                  .outcome = &outcome,
                                  .sources = &runner->sources,
                                  .before = &before,
                                  .group = &group,
                                  .counters = counters};
    const int code = write_record(runner, &record);
    // What is left of this run would be in the next one.
    return code == EXIT_RECORDED && outcome.unkillable > 0 ? EXIT_LOST : code;
}

int run_once(struct runner *runner)
{
    struct counters counters;
    if (!launch_prepare(&runner->launch, runner->settings) ||
        !launch_open_input(&runner->launch, runner->settings))
        return EXIT_NOT_RUN;
    counters_open(&counters, runner->settings->counters);
    const int code = measure(runner, &counters);
    counters_close(&counters);
    launch_close(&runner->launch);
    return code;
}

bool run_again(struct runner *runner)
{
    stalls_close(&runner->launch.stalls);
    group_remove(&runner->group);
    if (!group_make(&runner->group)) {
        if (runner->settings->accounting != ACCOUNTING_AUTO)
            return complain("%s: %s: use --accounting auto", runner->group.path, strerror(errno));
        group_give_up(&runner->group);
    }
    stalls_open(&runner->launch.stalls, &runner->group);
    return true;
}

void run_end(struct runner *runner)
{
    stalls_close(&runner->launch.stalls);
    group_remove(&runner->group);
    if (runner->own_fd >= 0)
        (void)close(runner->own_fd);
    system_forget(&runner->sources);
}
