#include "launch.h"

#include "capture.h"
#include "clock.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

// The pipe that the target's stdout is: a thread of meter empties it while the target runs, as
// whoever reads a pipe does, so that the target waits for nobody as long as there is a CPU for
// both. Not a file: to write to one takes the target several times as long, and a target may
// do something else where its stdout is no pipe.
//
// What comes is put into memory, and beyond DRAIN_MEMORY_BYTES into capture.h's file where it is to
// be searched; else it begins again from the front. Both take as long, so a time does not depend on
// whether a figure is looked for.

// What a pipe holds, so that one read empties it.
#define PART_BYTES 65536

// to_file: moves what there is from memory to a file, which gets its number.
static bool to_file(struct drain *drain)
{
    const int fd = capture_open();
    // Behind it there may be more of the run before.
    const bool moved = fd >= 0 && ftruncate(drain->kept_fd, drain->length) == 0 &&
                       capture_show(drain->kept_fd, fd) &&
                       dup3(fd, drain->kept_fd, O_CLOEXEC) == drain->kept_fd;
    if (fd >= 0)
        (void)close(fd);
    drain->in_file = moved;
    return moved;
}

// keep: the next bytes that the target wrote.
static bool keep(struct drain *drain, const char *text, size_t length)
{
    if (!drain->in_file && drain->length + (int64_t)length > DRAIN_MEMORY_BYTES) {
        if (!drain->keeps)
            drain->length = 0;
        else if (!to_file(drain))
            return false;
    }
    if (drain->in_file ? !file_write_all(drain->kept_fd, text, length)
                       : pwrite(drain->kept_fd, text, length, drain->length) != (ssize_t)length)
        return false;
    drain->length += (int64_t)length;
    return true;
}

// take_all: what is in the pipe now. False at its end.
static bool take_all(struct drain *drain, char *text)
{
    ssize_t length;
    while ((length = read(drain->pipe_fd, text, PART_BYTES)) > 0)
        // What cannot be kept is taken all the same: the target must not wait for ever.
        if (drain->error == 0 && !keep(drain, text, (size_t)length))
            drain->error = errno != 0 ? errno : EIO;
    return length < 0 && (errno == EAGAIN || errno == EINTR);
}

static void *run(void *user)
{
    struct drain *drain = user;
    char text[PART_BYTES];
    struct pollfd files[] = {{.fd = drain->pipe_fd, .events = POLLIN},
                             {.fd = drain->ending_fd, .events = POLLIN}};
    struct rusage usage;
    do
        (void)poll(files, 2, -1);
    while (take_all(drain, text) && files[1].revents == 0);
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        drain->cpu_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * INT64_C(1000000000) +
                        (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
    return NULL;
}

// empty: forgets the run before. Memory that it took serves this one.
static bool empty(struct drain *drain)
{
    if (drain->in_file)
        drain_free(drain);
    if (drain->kept_fd < 0)
        drain->kept_fd = file_above_stderr(memfd_create("meter-stdout", MFD_CLOEXEC));
    drain->length = drain->cpu_ns = 0;
    drain->error = 0;
    return drain->kept_fd >= 0;
}

// drain_begin: a new pipe, whose end for the target is *to_fd; it is the caller's to close. False
// with errno.
static bool drain_begin(struct drain *drain, int *to_fd)
{
    int ends[2] = {-1, -1};
    *to_fd = -1;
    if (!empty(drain) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    drain->pipe_fd = ends[0];
    *to_fd = ends[1];
    drain->ending_fd = eventfd(0, EFD_CLOEXEC);
    drain->running = drain->ending_fd >= 0 && fcntl(drain->pipe_fd, F_SETFL, O_NONBLOCK) == 0 &&
                     (errno = pthread_create(&drain->thread, NULL, run, drain)) == 0;
    if (drain->running)
        return true;
    const int error = errno;
    (void)close(drain->pipe_fd);
    (void)close(*to_fd);
    if (drain->ending_fd >= 0)
        (void)close(drain->ending_fd);
    *to_fd = -1;
    errno = error;
    return false;
}

void drain_end(struct drain *drain)
{
    const uint64_t once = 1;
    if (!drain->running)
        return;
    (void)!write(drain->ending_fd, &once, sizeof once);
    (void)pthread_join(drain->thread, NULL);
    (void)close(drain->pipe_fd);
    (void)close(drain->ending_fd);
    drain->running = false;
    // Of the run before there may be more.
    if (!drain->in_file && ftruncate(drain->kept_fd, drain->length) != 0 && drain->error == 0)
        drain->error = errno;
}

void drain_free(struct drain *drain)
{
    if (drain->kept_fd >= 0)
        (void)close(drain->kept_fd);
    drain->kept_fd = -1;
    drain->in_file = false;
}

#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND      127

// A second in all.
#define WATCH_STEP_NS (20 * NS_PER_US)
#define WATCH_STEPS   50000

// duplicate: of a descriptor that the caller has left open for us.
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

static bool open_for_target(int *fd, const char *what, const char *path, int flags)
{
    *fd = -1;
    if (path == NULL)
        return true;
    *fd = launch_open(path, flags);
    return *fd >= 0 || complain("%s %s: %s: name another file", what, path, strerror(errno));
}

// open_captured: one file for all runs.
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

static bool open_files(struct launch *launch, const struct settings *settings)
{
    const int writing = O_WRONLY | O_CREAT | O_TRUNC;
    struct launch_files *files = &launch->files;
    *files = (struct launch_files){-1, -1, -1};
    const bool opened = settings->drains_out ? open_pipe(launch, settings->captures_out)
                                             : open_for_target(&files->out_fd, "--stdout",
                                                               settings->out_path, writing);
    if (!opened)
        return false;
    // One file for both is opened once: two offsets would overwrite each other.
    if (settings->out_path != NULL && settings->error_path != NULL &&
        (strcmp(settings->out_path, settings->error_path) == 0 ||
         file_is_same(settings->out_path, settings->error_path))) {
        files->error_fd = files->out_fd;
        return true;
    }
    if (settings->captures_errors)
        return open_captured(&launch->captured_error_fd, &files->error_fd);
    return open_for_target(&files->error_fd, "--stderr", settings->error_path, writing);
}

bool launch_prepare(struct launch *launch, const struct settings *settings)
{
    if (launch->prepared)
        return true;
    if (launch->report == NULL)
        launch->report = mmap(NULL, sizeof *launch->report, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (launch->report == MAP_FAILED)
        return complain("no memory: %s", strerror(errno));
    *launch->report = (struct launch_report){0};
    launch->prepared = open_files(launch, settings);
    return launch->prepared;
}

bool launch_open_input(struct launch *launch, const struct settings *settings)
{
    return open_for_target(&launch->files.in_fd, "the target's stdin", settings->in_path, O_RDONLY);
}

void launch_close(struct launch *launch)
{
    struct launch_files *files = &launch->files;
    if (files->in_fd >= 0)
        close(files->in_fd);
    if (files->error_fd >= 0 && files->error_fd != files->out_fd &&
        files->error_fd != launch->captured_error_fd)
        close(files->error_fd);
    if (files->out_fd >= 0)
        close(files->out_fd);
    drain_end(&launch->drain);
    launch->prepared = false;
}

static bool redirect(int from, int to)
{
    return from < 0 || dup2(from, to) == to;
}

// prepare: everything between fork and exec. Returns what failed, with errno.
static const char *prepare(struct launch_report *report, const struct settings *settings,
                           const struct launch *launch, const struct group *group, pid_t meter)
{
    const struct launch_files *files = &launch->files;
    const char *folder = launch->target->folder;
    if (settings->with_parent) {
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
    if (settings->cpus != NULL &&
        (cpus_parse(settings->cpus, &report->cpus) != 0 || cpus_pin_list(&report->cpus) != 0))
        return "--cpus";
    if (cpus_allowed(&report->cpus) != 0)
        return "reading the affinity";
    if (folder != NULL && chdir(folder) != 0)
        return folder;
    if (settings->has_nice && setpriority(PRIO_PROCESS, 0, (int)settings->nice) != 0)
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

// await_watch: mostly there already, as meter has less to do meanwhile than we. Not for
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

static _Noreturn void become_target(const struct launch *launch, const struct settings *settings,
                                    const struct signals *signals, const struct group *group,
                                    pid_t meter)
{
    struct launch_report *report = launch->report;
    char **words = launch->target->words;
    for (; words[1] != NULL && launch->target->variables && words_assignment(words[0]); words++)
        (void)putenv(words[0]);
    const char *failed = prepare(report, settings, launch, group, meter);
    if (failed != NULL) {
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
    _exit(report->exec_error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

bool launch_start(struct launch *launch, const struct settings *settings,
                  const struct signals *signals, struct group *group)
{
    const pid_t meter = getpid();
    launch->pid = group_fork(group);
    if (launch->pid < 0 && group->kind == GROUP_V2) {
        if (settings->accounting != ACCOUNTING_AUTO)
            return complain("no process can be started in %s: %s: use --accounting auto",
                            group->path, strerror(errno));
        group_give_up(group);
        launch->pid = fork();
    }
    if (launch->pid == 0)
        become_target(launch, settings, signals, group, meter);
    return launch->pid > 0 || complain("cannot fork: %s: too many processes?", strerror(errno));
}
