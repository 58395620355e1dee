#include "common/tree.h"

#include "common/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_KILL_MS 10000

struct process {
    pid_t pid, parent;
    char state;          /* 'Z': ended, not waited for */
    int64_t children_ns; /* CPU time of children it has waited for */
    bool descends;       /* from this process */
};

struct processes {
    size_t count, capacity;
    struct process *all;
};

/* Reads PID/stat in the open folder /proc (proc(5)); false when the process has gone. */
static bool read_process(int proc_fd, const char *name, struct process *process)
{
    char path[300], text[1024];
    unsigned long long user, system;
    snprintf(path, sizeof path, "%.255s/stat", name);
    if (!file_read(proc_fd, path, text, sizeof text))
        return false;
    /* The command's name is in parentheses, and may contain some itself. */
    const char *rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu",
               &process->state, &process->parent, &user, &system) != 4)
        return false;
    process->pid = (pid_t)strtol(name, NULL, 10);
    process->children_ns =
        (int64_t)((user + system) * (1000000000ULL / (unsigned long long)sysconf(_SC_CLK_TCK)));
    process->descends = false;
    return true;
}

static bool append(struct processes *list, const struct process *process)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 256 : 2 * list->capacity;
        struct process *larger = reallocarray(list->all, capacity, sizeof *larger);
        if (larger == NULL)
            return false;
        list->all = larger;
        list->capacity = capacity;
    }
    list->all[list->count++] = *process;
    return true;
}

static int by_parent(const void *a, const void *b)
{
    const struct process *first = a, *second = b;
    return (first->parent > second->parent) - (first->parent < second->parent);
}

/* The first of the processes, sorted by their parents, whose parent is not below
 * `parent`. */
static size_t first_child(const struct processes *list, pid_t parent)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->all[middle].parent < parent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the children of `parent`, and notes them at the end of the queue; each process
 * has one parent, so each is noted once. */
static void mark_children(struct processes *list, pid_t parent, size_t *queue, size_t *queued)
{
    for (size_t i = first_child(list, parent); i < list->count && list->all[i].parent == parent;
         i++) {
        if (list->all[i].descends)
            continue; /* ids that were used again while we read can make a ring */
        list->all[i].descends = true;
        queue[(*queued)++] = i;
    }
}

/* Generation by generation from this process on. */
static void mark_descendants(struct processes *list)
{
    size_t queued = 0;
    size_t *queue = calloc(list->count + 1, sizeof *queue);
    if (queue == NULL)
        return;
    qsort(list->all, list->count, sizeof *list->all, by_parent);
    mark_children(list, getpid(), queue, &queued);
    for (size_t i = 0; i < queued; i++)
        mark_children(list, list->all[queue[i]].pid, queue, &queued);
    free(queue);
}

/* All processes, descendants marked; free(list.all) afterwards. Where memory or /proc
 * is short the list is incomplete: the caller's next walk finds the rest. */
static struct processes read_processes(void)
{
    struct processes list = {0};
    DIR *folder = opendir("/proc");
    if (folder == NULL)
        return list;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct process process;
        if (isdigit((unsigned char)entry->d_name[0]) &&
            read_process(dirfd(folder), entry->d_name, &process) && !append(&list, &process))
            break;
    }
    closedir(folder);
    mark_descendants(&list);
    return list;
}

static bool lives(const struct process *process)
{
    return process->descends && process->state != 'Z' && process->state != 'X';
}

/* To all descendants, or to those only that have that parent. */
static size_t signal_some(int signal_number, const pid_t *parent)
{
    struct processes list = read_processes();
    size_t living = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct process *process = &list.all[i];
        if (!lives(process) || (parent != NULL && process->parent != *parent))
            continue;
        living++;
        if (signal_number != 0)
            (void)kill(process->pid, signal_number); /* it may just have ended */
    }
    free(list.all);
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
    struct processes list = read_processes();
    pid_t *pids = malloc((list.count + 1) * sizeof *pids);
    *count = 0;
    for (size_t i = 0; pids != NULL && i < list.count; i++)
        if (lives(&list.all[i]))
            pids[(*count)++] = list.all[i].pid;
    free(list.all);
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
    struct processes list = read_processes();
    struct rusage ended;
    int64_t total_ns = 0;
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
        total_ns = timeval_ns(ended.ru_utime) + timeval_ns(ended.ru_stime);
    for (size_t i = 0; i < list.count; i++)
        if (list.all[i].descends)
            total_ns += own_cpu_ns(list.all[i].pid) + list.all[i].children_ns;
    free(list.all);
    return total_ns;
}
