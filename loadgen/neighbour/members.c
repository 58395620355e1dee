#include "neighbour/members.h"

#include "common/file.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a machine, its sessions and its jobs live by. */
static const char *const vital[] = {
    "sshd",        "slurmd",         "slurmstepd",   "slurmctld",      "systemd",
    "dbus-daemon", "munged",         "sge_execd",    "containerd",     "dockerd",
    "init",        "systemd-logind", "sshd-session", "systemd-journal"};

static const struct process *find(const struct processes *all, pid_t pid)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->process[i].pid == pid)
            return &all->process[i];
    return NULL;
}

static bool has_ended(const struct process *process)
{
    return process->state == 'Z' || process->state == 'X';
}

static bool is_member(const struct neighbour *neighbour, pid_t pid)
{
    for (size_t i = 0; i < neighbour->count; i++)
        if (neighbour->member[i].pid == pid)
            return true;
    return false;
}

static bool add(struct neighbour *neighbour, const struct process *process)
{
    if (neighbour->count == neighbour->room) {
        const size_t room = neighbour->room > 0 ? 2 * neighbour->room : 16;
        struct member *larger = realloc(neighbour->member, room * sizeof *larger);
        if (larger == NULL)
            return false;
        neighbour->member = larger;
        neighbour->room = room;
    }
    neighbour->member[neighbour->count++] =
        (struct member){.pid = process->pid, .started = process->started};
    neighbour->ticks += process->ticks + process->waited;
    return true;
}

static bool belongs(const struct neighbour *neighbour, const struct process *process)
{
    if (process->kernel || has_ended(process))
        return false;
    if (neighbour->pid == 0)
        return grouping_has_process(&neighbour->grouping, process->pid);
    if (process->pid == neighbour->pid)
        return process->started == neighbour->started;
    return is_member(neighbour, process->parent);
}

bool neighbour_look(struct neighbour *neighbour)
{
    bool good = true, more = true;
    processes_read(&neighbour->all);
    neighbour->count = 0;
    neighbour->ticks = 0;
    /* Children may have lower numbers than their parents: once more, until nobody is added. */
    while (good && more) {
        const size_t before = neighbour->count;
        for (size_t i = 0; i < neighbour->all.count && good; i++) {
            const struct process *process = &neighbour->all.process[i];
            if (!is_member(neighbour, process->pid) && belongs(neighbour, process))
                good = add(neighbour, process);
        }
        more = neighbour->count > before;
    }
    return good;
}

bool neighbour_lives(struct neighbour *neighbour)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        char path[64], text[1024];
        struct process process;
        snprintf(path, sizeof path, "/proc/%d/stat", (int)neighbour->member[i].pid);
        if (file_read(AT_FDCWD, path, text, sizeof text) && process_parse(text, &process) &&
            process.started == neighbour->member[i].started && !has_ended(&process))
            return true;
    }
    return neighbour_look(neighbour) && neighbour->count > 0;
}

void neighbour_signal(const struct neighbour *neighbour, int signal_number)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        const struct member *member = &neighbour->member[i];
        const struct process *process = find(&neighbour->all, member->pid);
        if (process != NULL && process->started == member->started)
            (void)kill(member->pid, signal_number);
    }
}

bool neighbour_is_stopped(struct neighbour *neighbour)
{
    if (!neighbour_look(neighbour))
        return false;
    for (size_t i = 0; i < neighbour->count; i++) {
        const char state = find(&neighbour->all, neighbour->member[i].pid)->state;
        /* In the kernel (D), such as a parent that waits for its stopped vfork(): it stops as soon
         * as it leaves. */
        if (state != 'T' && state != 't' && state != 'D')
            return false;
    }
    return true;
}

int64_t neighbour_cpu_ns(struct neighbour *neighbour)
{
    (void)neighbour_look(neighbour);
    return neighbour->ticks * PROCESS_TICK_US * 1000;
}

void neighbour_free(struct neighbour *neighbour)
{
    processes_free(&neighbour->all);
    free(neighbour->member);
    neighbour->member = NULL;
    neighbour->count = neighbour->room = 0;
}

/* ---- whom we may pause ---- */

static void refuse_member(const struct neighbour *neighbour, const struct process *process)
{
    const char *words = neighbour->words;
    const int pid = (int)process->pid;
    if (process->pid == 1)
        usage_error("%s: process 1 is never paused: give the program itself", words);
    for (size_t i = 0; i < sizeof vital / sizeof *vital; i++)
        if (strcmp(process->name, vital[i]) == 0)
            usage_error("%s: pid %d is %s, which others live by: give the program itself", words,
                        pid, process->name);
    if (kill(process->pid, 0) != 0 && errno == EPERM)
        usage_error("%s: pid %d is another user's: only your own programs can be paused", words,
                    pid);
    if (process->state == 'T' || process->state == 't')
        usage_error("%s: pid %d is stopped already: continue it first (kill -CONT %d)", words, pid,
                    pid);
}

/* Ourselves, who started us, and who started them: a shell, a terminal. */
static void refuse_ancestors(const struct neighbour *neighbour)
{
    const struct process *process = find(&neighbour->all, getpid());
    for (; process != NULL; process = find(&neighbour->all, process->parent))
        if (is_member(neighbour, process->pid))
            usage_error("%s: jostle itself was started from there (pid %d, %s): give another "
                        "program",
                        neighbour->words, (int)process->pid, process->name);
}

static void find_pid(struct neighbour *neighbour, uint64_t pid)
{
    processes_read(&neighbour->all);
    const struct process *process = pid > INT32_MAX ? NULL : find(&neighbour->all, (pid_t)pid);
    if (process == NULL)
        usage_error("pid %llu: there is no such process, or /proc hides it (hidepid): look with ps",
                    (unsigned long long)pid);
    if (has_ended(process))
        usage_error("pid %llu: it has ended (a zombie): give one that runs",
                    (unsigned long long)pid);
    if (process->kernel)
        usage_error("pid %llu: a thread of the kernel cannot be paused: give a program",
                    (unsigned long long)pid);
    neighbour->pid = process->pid;
    neighbour->started = process->started;
    snprintf(neighbour->words, sizeof neighbour->words, "pid %d (%s)", (int)process->pid,
             process->name);
}

void neighbour_find(struct neighbour *neighbour, uint64_t pid, const char *cgroup, const char *job)
{
    *neighbour = (struct neighbour){.pid = 0};
    if (cgroup != NULL) {
        grouping_cgroup(&neighbour->grouping, "cgroup", cgroup);
        snprintf(neighbour->words, sizeof neighbour->words, "cgroup %.100s", cgroup);
    } else if (job != NULL) {
        grouping_job(&neighbour->grouping, "job", job);
        snprintf(neighbour->words, sizeof neighbour->words, "job %.100s", job);
    } else {
        find_pid(neighbour, pid);
    }
    if (!neighbour_look(neighbour))
        usage_error("%s: out of memory: free some", neighbour->words);
    refuse_ancestors(neighbour);
    for (size_t i = 0; i < neighbour->count; i++)
        refuse_member(neighbour, find(&neighbour->all, neighbour->member[i].pid));
}

/* One pipe: reading ends that signal, one for each member, and a plain one in front of them. */
struct wire {
    int writing;
    int *reading;
    size_t count;
};

static void close_all(int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)close(list[i]);
    free(list);
}

/* Another opening of the same end, which signals to `pid`; -1 with errno. */
static int open_signalling(int reading, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", reading);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETOWN, pid) == 0 && fcntl(fd, F_SETSIG, SIGCONT) == 0 &&
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return fd;
    const int error = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = error;
    return -1;
}

static bool wire_open(struct wire *wire, const struct neighbour *neighbour)
{
    int ends[2];
    *wire = (struct wire){.writing = -1,
                          .reading = calloc(neighbour->count + 1, sizeof *wire->reading)};
    if (wire->reading == NULL || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    wire->writing = ends[1];
    wire->reading[wire->count++] = ends[0];
    for (size_t i = 0; i < neighbour->count; i++) {
        const int fd = open_signalling(ends[0], neighbour->member[i].pid);
        if (fd < 0 && errno != ESRCH) /* it has just ended */
            return false;
        if (fd >= 0)
            wire->reading[wire->count++] = fd;
    }
    return true;
}

static void wire_close(struct wire *wire)
{
    const int error = errno;
    if (wire->writing >= 0)
        (void)close(wire->writing);
    close_all(wire->reading, wire->count);
    errno = error;
}

/* The guard's whole life: in a session of its own, so that no signal to ours reaches it. It needs
 * do nothing: that it is there, and ends when we do, is all. */
static _Noreturn void guard(struct wire *from_us, struct wire *to_us, const struct hold *before)
{
    char byte;
    sigset_t all;
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    (void)prctl(PR_SET_NAME, "neighbour-guard");
    /* Who waits for the end of what we hold by accident would wait for ever. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        (void)dup2(nothing, fd);
    if (before->guard != 0)
        (void)close(before->alive);
    (void)close(from_us->writing);
    close_all(to_us->reading, to_us->count);
    while (read(from_us->reading[0], &byte, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* *hold is that of before, and becomes the new one. */
static bool start(struct hold *hold, struct wire *to_guard, struct wire *from_guard,
                  const struct neighbour *neighbour)
{
    struct member *member = calloc(neighbour->count + 1, sizeof *member);
    const pid_t child = member == NULL ? -1 : fork();
    if (child == 0)
        guard(to_guard, from_guard, hold);
    if (child < 0) {
        free(member);
        return false;
    }
    memcpy(member, neighbour->member, neighbour->count * sizeof *member);
    (void)close(from_guard->writing);
    close_all(to_guard->reading, to_guard->count);
    *hold = (struct hold){.guard = child,
                          .alive = to_guard->writing,
                          .reading = from_guard->reading,
                          .count = from_guard->count,
                          .member = member,
                          .members = neighbour->count};
    return true;
}

bool hold_take(struct hold *hold, const struct neighbour *neighbour)
{
    struct wire to_guard = {.writing = -1}, from_guard = {.writing = -1};
    struct hold taken = *hold;
    if (!wire_open(&to_guard, neighbour) || !wire_open(&from_guard, neighbour) ||
        !start(&taken, &to_guard, &from_guard, neighbour)) {
        wire_close(&to_guard);
        wire_close(&from_guard);
        return false;
    }
    hold_release(hold);
    *hold = taken;
    return true;
}

bool hold_has(const struct hold *hold, const struct neighbour *neighbour)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        bool has = false;
        for (size_t k = 0; k < hold->members && !has; k++)
            has = hold->member[k].pid == neighbour->member[i].pid &&
                  hold->member[k].started == neighbour->member[i].started;
        if (!has)
            return false;
    }
    return true;
}

/* A descriptor that is readable when the guard is gone; -1: none. */
static int hold_descriptor(const struct hold *hold)
{
    return hold->guard == 0 ? -1 : hold->reading[0];
}

bool hold_is_there(const struct hold *hold)
{
    struct pollfd file = {.fd = hold_descriptor(hold), .events = POLLIN};
    return file.fd >= 0 && poll(&file, 1, 0) == 0;
}

void hold_release(struct hold *hold)
{
    if (hold->guard == 0)
        return;
    (void)close(hold->alive);
    while (waitpid(hold->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    close_all(hold->reading, hold->count);
    free(hold->member);
    *hold = HOLD_OF_NONE;
}
