// Starts the target: its files, its CPUs, its group, and the moment at which it begins.
#include "launch.h"

#include "capture.h"
#include "command_line.h"
#include "drain.h"
#include "open_files.h"
#include "signals.h"
#include "stalls.h"

#include "common/cgroup.h"
#include "common/child.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/messages.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

// A second in all.
#define WATCH_STEP_NS (20 * NS_PER_US)
#define WATCH_STEPS   50000

// A copy of a descriptor that the caller has left open for us.
static int duplicate(const char *number)
{
    char *end;
    const long fd = strtol(number, &end, 10);
    if (end == number || *end != '\0' || fd < 0 || fd > INT_MAX) {
        errno = EBADF;
        return -1;
    }
    const int copy = fcntl((int)fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    // The target gets it under its own number only.
    if (copy >= 0 && fd > STDERR_FILENO)
        (void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    return copy;
}

int launch_open(const char *path, int flags)
{
    static const char descriptors[] = "/dev/fd/";
    if (strncmp(path, descriptors, strlen(descriptors)) == 0)
        return duplicate(path + strlen(descriptors));
    return file_above_stderr(open(path, flags | O_CLOEXEC, 0666));
}

bool launch_open_output(int *fd, const char *path)
{
    *fd = strcmp(path, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                                 : launch_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    return *fd >= 0 ||
           complain("--output %s: %s: name a file that can be written", path, strerror(errno));
}

static bool open_for_target(int *fd, const char *what, const char *path, int flags)
{
    *fd = -1;
    if (!path)
        return true;
    *fd = launch_open(path, flags);
    return *fd >= 0 || complain("%s %s: %s: name another file", what, path, strerror(errno));
}

// The file of a stream that is captured: one for all runs.
static bool open_captured(int *captured_fd, int *fd)
{
    if (*captured_fd < 0)
        *captured_fd = capture_open();
    *fd = *captured_fd;
    return (*captured_fd >= 0 && capture_empty(*captured_fd)) ||
           complain("no temporary file for what the command writes: %s: set TMPDIR to a folder "
                    "that can be written",
                    strerror(errno));
}

static bool open_pipe(struct launch *launch, bool keeps)
{
    launch->drain.keeps = keeps;
    return drain_begin(&launch->drain, &launch->files.out_fd) ||
           complain("no pipe for what the command writes: %s: free memory or descriptors",
                    strerror(errno));
}

static bool open_files(struct launch *launch, const struct command_line *asked)
{
    const int writing = O_WRONLY | O_CREAT | O_TRUNC;
    struct launch_files *files = &launch->files;
    *files = (struct launch_files){-1, -1, -1};
    const bool opened = asked->drains_out
                            ? open_pipe(launch, asked->captures_out)
                            : open_for_target(&files->out_fd, "--stdout", asked->out_path, writing);
    if (!opened)
        return false;
    // One file for both is opened once: two offsets would overwrite each other.
    if (asked->out_path && asked->error_path &&
        (strcmp(asked->out_path, asked->error_path) == 0 ||
         file_is_same(asked->out_path, asked->error_path))) {
        files->error_fd = files->out_fd;
        return true;
    }
    if (asked->captures_errors)
        return open_captured(&launch->captured_error_fd, &files->error_fd);
    return open_for_target(&files->error_fd, "--stderr", asked->error_path, writing);
}

bool launch_prepare(struct launch *launch, const struct command_line *asked)
{
    if (launch->prepared)
        return true;
    if (!launch->report)
        launch->report = mmap(NULL, sizeof *launch->report, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (launch->report == MAP_FAILED)
        return complain("no memory: %s", strerror(errno));
    *launch->report = (struct launch_report){0};
    launch->prepared = open_files(launch, asked);
    return launch->prepared;
}

bool launch_open_input(struct launch *launch, const struct command_line *asked)
{
    return open_for_target(&launch->files.in_fd, "the target's stdin", asked->in_path, O_RDONLY);
}

void launch_close(struct launch *launch)
{
    struct launch_files *files = &launch->files;
    fd_close(&files->in_fd);
    if (files->error_fd != files->out_fd && files->error_fd != launch->captured_error_fd)
        fd_close(&files->error_fd);
    fd_close(&files->out_fd);
    drain_end(&launch->drain);
    launch->prepared = false;
}

static bool redirect(int from, int to)
{
    return from < 0 || dup2(from, to) == to;
}

// Does everything between fork and exec. Returns what failed, with errno.
static const char *prepare(struct launch_report *report, const struct command_line *asked,
                           const struct launch *launch, const struct group *group, pid_t meter)
{
    const struct launch_files *files = &launch->files;
    const char *folder = launch->target->folder;
    if (asked->with_parent) {
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
            return "--with-parent";
        if (getppid() != meter)
            _exit(EXIT_NOT_EXECUTABLE); // meter died before the line above
    }
    // To ask for it also has the kernel charge it: it would else be charged to the group.
    if (group->kind == GROUP_V1)
        report->outside_ns = clock_cpu_ns();
    if (!group_enter(group))
        return "entering the control group";
    // CPUs that are not allowed are left out by the kernel without a word: hence what is
    // in force is read again.
    if (asked->cpus &&
        (cpus_parse(asked->cpus, &report->cpus) != 0 || cpus_pin_list(&report->cpus) != 0))
        return "--cpus: none of these may be used here";
    if (cpus_allowed(&report->cpus) != 0)
        return "reading the affinity";
    if (folder && chdir(folder) != 0)
        return folder;
    if (asked->has_nice && setpriority(PRIO_PROCESS, 0, (int)asked->nice) != 0)
        return "--nice";
    if (!redirect(files->in_fd, STDIN_FILENO) || !redirect(files->out_fd, STDOUT_FILENO) ||
        !redirect(files->error_fd, STDERR_FILENO))
        return "redirecting";
    return NULL;
}

void launch_watched(const struct launch *launch)
{
    __atomic_store_n(&launch->report->watched, 1, __ATOMIC_RELEASE);
}

// Waits for launch_watched(), mostly for no time: meter has less to do meanwhile than we. Not for
// ever: nobody is behind a meter that was killed.
static void await_watch(const struct launch_report *report)
{
    const struct timespec step = {.tv_nsec = WATCH_STEP_NS};
    for (int left = WATCH_STEPS; left > 0; left--) {
        if (__atomic_load_n(&report->watched, __ATOMIC_ACQUIRE) != 0)
            return;
        (void)nanosleep(&step, NULL);
    }
}

static _Noreturn void become_target(const struct launch *launch, const struct command_line *asked,
                                    const struct signals *signals, const struct group *group,
                                    pid_t meter)
{
    struct launch_report *report = launch->report;
    char **words = launch->target->words;
    for (; words[1] && launch->target->variables && words_assignment(words[0]); words++)
        (void)putenv(words[0]);
    const char *failed = prepare(report, asked, launch, group, meter);
    if (failed) {
        report->step_error = errno;
        report->failed_step = failed;
        _exit(EXIT_NOT_EXECUTABLE);
    }
    await_watch(report);
    signals_give_back(signals);
    stalls_begin(&report->stalls, &launch->stalls);
    report->launch_ns = clock_cpu_ns();
    (void)clock_gettime(CLOCK_REALTIME, &report->start);
    (void)clock_gettime(CLOCK_BOOTTIME, &report->uptime);
    __atomic_store_n(&report->start_ns, clock_ns(), __ATOMIC_RELEASE);
    execvp(words[0], words);
    report->exec_error = errno;
    (void)child_why(words[0], report->exec_error, report->exec_why, sizeof report->exec_why);
    _exit(report->exec_error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

bool launch_start(struct launch *launch, const struct command_line *asked,
                  const struct signals *signals, struct group *group)
{
    const pid_t meter = getpid();
    launch->pid = group_fork(group);
    if (launch->pid < 0 && group->kind == GROUP_V2) {
        if (asked->accounting != ACCOUNTING_AUTO)
            return complain("no process can be started in %s: %s: use --accounting auto",
                            group->path, strerror(errno));
        group_give_up(group);
        launch->pid = fork();
    }
    if (launch->pid == 0)
        become_target(launch, asked, signals, group, meter);
    return launch->pid > 0 ||
           complain("cannot start a process: %s: raise that limit, or run fewer processes",
                    limits_why(errno, (char[LIMITS_WHY]){0}, LIMITS_WHY));
}
