// meter: runs a command once and writes what it took, as one JSON line.
#include "counters.h"
#include "detach.h"
#include "group.h"
#include "launch.h"
#include "message.h"
#include "options.h"
#include "record.h"
#include "signals.h"
#include "supervise.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum exit_code {
    EXIT_RECORDED = 0,
    EXIT_NOT_RUN = 1,
    EXIT_WRONG_USE = 2,
    EXIT_LOST = 125,
    EXIT_BY_SIGNAL = 128,
};

// What a run needs, prepared before the target starts.
struct run {
    struct signals signals;
    struct launch_files files;
    struct group group;
    struct counters counters;
    struct system_totals before;
    int output_fd;
};

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

static bool prepare(struct run *run, const struct options *options, pid_t parent)
{
    // Orphans of the target become our children instead of init's.
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return complain("cannot become the tree's reaper: %s", strerror(errno));
    return (!options->with_parent || follow_parent(parent)) &&
           open_output(&run->output_fd, options->output) &&
           launch_files_open(&run->files, options) && group_make(&run->group, options->accounting);
}

static int record_run(const struct run *run, const struct launch_report *report,
                      const struct outcome *outcome, const struct group_usage *group)
{
    const struct record record = {.report = report,
                                  .outcome = outcome,
                                  .before = &run->before,
                                  .group = group,
                                  .counters = &run->counters};
    if (outcome->unkillable > 0)
        complain("%zu processes of the tree cannot be killed: they are left behind",
                 outcome->unkillable);
    if (!outcome->ended)
        return EXIT_LOST;
    if (!record_write(&record, run->output_fd)) {
        complain("the record cannot be written: %s", strerror(errno));
        return EXIT_LOST;
    }
    return outcome->interrupted != 0 ? EXIT_BY_SIGNAL + outcome->interrupted : EXIT_RECORDED;
}

static int run_command(struct run *run, const struct options *options)
{
    struct launch launch;
    struct outcome outcome;
    struct group_usage group;
    counters_open(&run->counters, options->counters);
    system_read(&run->before);
    if (!launch_start(&launch, options, &run->files, &run->signals, &run->group))
        return EXIT_NOT_RUN;
    supervise(&outcome, &launch, options->timeout_ns, &run->signals, &run->group);
    if (launch.report->failed_step != NULL) {
        complain("%s: %s: nothing was run", launch.report->failed_step,
                 strerror(launch.report->step_error));
        return EXIT_NOT_RUN;
    }
    counters_read(&run->counters);
    group_read(&run->group, &group);
    usage_choose(&outcome.usage, run->group.kind, &group);
    return record_run(run, launch.report, &outcome, &group);
}

int main(int argc, char **argv)
{
    pid_t parent = getppid();
    struct options options;
    struct run run = {.group = {.kind = ACCOUNTING_RUSAGE, .folder_fd = -1}};
    const enum options_result parsed = options_parse(&options, argc, argv);
    if (parsed == OPTIONS_WRONG)
        return EXIT_WRONG_USE;
    if (parsed == OPTIONS_DONE)
        return fflush(stdout) == 0 ? EXIT_RECORDED : EXIT_NOT_RUN;
    signals_take(&run.signals);
    int code = EXIT_NOT_RUN;
    if (detach(&run.signals, options.with_parent, &parent, &code))
        return code;
    if (prepare(&run, &options, parent))
        code = run_command(&run, &options);
    group_remove(&run.group);
    return code;
}
