#include "processes.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "machine.h"

// Source: proc_pid_stat(5).

// Fields of the line, counted from 1 as in proc_pid_stat(5).
enum field {
    FIELD_PARENT = 4,
    FIELD_SESSION = 6,
    FIELD_FLAGS = 9,
    FIELD_USER_TIME = 14, // and system, and both of children
    FIELD_THREADS = 20,
    FIELD_STARTED = 22, // what older kernels and made-up machines have ends here
    FIELD_CPU = 39,
    FIELD_DISK_WAIT = 42,
    FIELDS,
};

#define FLAG_KERNEL 0x00200000 // PF_KTHREAD

// "PID (NAME) STATE PPID PGRP SESSION ... utime stime ... starttime": the name may hold
// anything, even ") ".
bool process_parse(const char *text, struct process *process)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    long long field[FIELDS] = {[FIELD_CPU] = -1};
    int known = FIELD_PARENT;
    if (!name || !end || end < name || end[1] != ' ' || end[2] == '\0')
        return false;
    process->state = end[2];
    for (char *next = NULL; known < FIELDS; known++) {
        const char *at = !next ? end + 3 : next;
        field[known] = strtoll(at, &next, 10);
        if (next == at)
            break;
    }
    if (known <= FIELD_STARTED)
        return false;
    if (known <= FIELD_CPU)
        field[FIELD_CPU] = -1;
    process->descends = false;
    process->pid = (pid_t)strtol(text, NULL, 10);
    process->parent = (pid_t)field[FIELD_PARENT];
    process->session = (pid_t)field[FIELD_SESSION];
    process->kernel = (field[FIELD_FLAGS] & FLAG_KERNEL) != 0;
    process->ticks = field[FIELD_USER_TIME] + field[FIELD_USER_TIME + 1];
    process->waited = field[FIELD_USER_TIME + 2] + field[FIELD_USER_TIME + 3];
    process->threads = (int)field[FIELD_THREADS];
    process->started = field[FIELD_STARTED];
    process->cpu = (int)field[FIELD_CPU];
    process->disk_wait = field[FIELD_DISK_WAIT];
    snprintf(process->name, sizeof process->name, "%.*s", (int)(end - name - 1), name + 1);
    return true;
}

static bool read_one(int folder, const char *number, struct process *process)
{
    char path[300], text[1024];
    struct stat owner;
    snprintf(path, sizeof path, "%s/stat", number);
    const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool read = file_read_open(fd, text, sizeof text) && fstat(fd, &owner) == 0;
    (void)close(fd);
    if (!read || !process_parse(text, process))
        return false;
    process->user = owner.st_uid;
    return true;
}

static bool grow(struct processes *processes)
{
    const size_t room = processes->room == 0 ? 256 : 2 * processes->room;
    struct process *more = realloc(processes->process, room * sizeof *more);
    if (!more)
        return false;
    processes->process = more;
    processes->room = room;
    return true;
}

static int by_pid(const void *a, const void *b)
{
    const struct process *one = a, *other = b;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

static bool append(struct processes *processes, const struct process *process)
{
    if (processes->count == processes->room && !grow(processes))
        return false;
    processes->process[processes->count++] = *process;
    return true;
}

static void read_folder(struct processes *processes, const char *path)
{
    struct process process;
    processes->count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (read_one(dirfd(folder), entry->d_name, &process) && !append(processes, &process))
            break;
    }
    closedir(folder);
}

void processes_read(struct processes *processes)
{
    char path[PATH_MAX];
    read_folder(processes, machine_path("/proc", path));
    if (processes->count > 0)
        qsort(processes->process, processes->count, sizeof *processes->process, by_pid);
}

void processes_free(struct processes *processes)
{
    free(processes->process);
    *processes = (struct processes){0};
}

const struct process *processes_same(const struct processes *processes,
                                     const struct process *process)
{
    const struct process *found =
        processes->count == 0
            ? NULL
            : bsearch(process, processes->process, processes->count, sizeof *process, by_pid);
    return found && found->started == process->started ? found : NULL;
}

#define LONGEST_KILL_MS 10000

#define LONGEST_KILL_MS 10000

static int by_parent(const void *a, const void *b)
{
    const struct process *first = a, *second = b;
    return (first->parent > second->parent) - (first->parent < second->parent);
}

// The first of the processes, sorted by their parents, whose parent is not below
// `parent`.
static size_t first_child(const struct processes *list, pid_t parent)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->process[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Marks the children of `parent`, and notes them at the end of the queue; each process
// has one parent, so each is noted once.
static void mark_children(struct processes *list, pid_t parent, size_t *queue, size_t *queued)
{
    for (size_t i = first_child(list, parent); i < list->count && list->process[i].parent == parent;
         i++) {
        if (list->process[i].descends)
            continue; // ids that were used again while we read can make a ring
        list->process[i].descends = true;
        queue[(*queued)++] = i;
    }
}

// Generation by generation from this process on.
static void mark_descendants(struct processes *list)
{
    size_t queued = 0;
    size_t *queue = calloc(list->count + 1, sizeof *queue);
    if (!queue)
        return;
    qsort(list->process, list->count, sizeof *list->process, by_parent);
    mark_children(list, getpid(), queue, &queued);
    for (size_t i = 0; i < queued; i++)
        mark_children(list, list->process[queue[i]].pid, queue, &queued);
    free(queue);
}

// All processes of this machine, never of a made-up one: they are to be signalled. Descendants are
// marked; processes_free() afterwards. Where memory or /proc is short the list is incomplete: the
// caller's next walk finds the rest.
static struct processes read_tree(void)
{
    struct processes list = {0};
    read_folder(&list, "/proc");
    mark_descendants(&list);
    return list;
}

static bool lives(const struct process *process)
{
    return process->descends && process->state != 'Z' && process->state != 'X';
}

// To all descendants, or to those only that have that parent.
static size_t signal_some(int signal_number, const pid_t *parent)
{
    struct processes list = read_tree();
    size_t living = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct process *process = &list.process[i];
        if (!lives(process) || (parent && process->parent != *parent))
            continue;
        living++;
        if (signal_number != 0)
            (void)kill(process->pid, signal_number); // it may just have ended
    }
    processes_free(&list);
    return living;
}

size_t tree_signal(int signal_number)
{
    return signal_some(signal_number, NULL);
}

size_t tree_signal_children(int signal_number)
{
    const pid_t self = getpid();
    return signal_some(signal_number, &self);
}

bool tree_reap(pid_t pid, int *status)
{
    *status = 0;
    for (;;) {
        int one;
        const pid_t ended = waitpid(-1, &one, WNOHANG);
        if (ended == 0)
            return true;
        if (ended < 0 && errno != EINTR)
            return false;
        if (ended == pid)
            *status = one;
    }
}

size_t tree_kill(void)
{
    size_t living = 0;
    int status;
    for (int waited_ms = 0, wait_ms = 1; waited_ms < LONGEST_KILL_MS; waited_ms += wait_ms) {
        living = tree_signal(SIGKILL);
        if (!tree_reap(-1, &status))
            return 0;
        (void)usleep((useconds_t)wait_ms * 1000);
        wait_ms = wait_ms < 50 ? 2 * wait_ms : wait_ms;
    }
    return living;
}

pid_t *tree_list(size_t *count)
{
    struct processes list = read_tree();
    pid_t *pids = malloc((list.count + 1) * sizeof *pids);
    *count = 0;
    for (size_t i = 0; pids && i < list.count; i++)
        if (lives(&list.process[i]))
            pids[(*count)++] = list.process[i].pid;
    processes_free(&list);
    if (*count > 0)
        return pids;
    free(pids);
    return NULL;
}

static int64_t own_cpu_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static int64_t timeval_ns(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_usec * 1000;
}

int64_t tree_cpu_ns(void)
{
    struct processes list = read_tree();
    struct rusage ended;
    int64_t total_ns = 0;
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
        total_ns = timeval_ns(ended.ru_utime) + timeval_ns(ended.ru_stime);
    for (size_t i = 0; i < list.count; i++)
        if (list.process[i].descends)
            total_ns += own_cpu_ns(list.process[i].pid) +
                        (int64_t)list.process[i].waited * PROCESS_TICK_US * 1000;
    processes_free(&list);
    return total_ns;
}
