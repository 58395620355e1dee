#include "neighbour/members.h"

#include "common/file.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
