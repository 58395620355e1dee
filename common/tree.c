#include "common/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

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

/* Reads /proc/PID/stat (proc(5)); false when the process has gone. */
static bool read_process(const char *name, struct process *process)
{
    char path[300], text[1024];
    unsigned long long user, system;
    snprintf(path, sizeof path, "/proc/%.255s/stat", name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
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

static bool is_descendant(const struct processes *list, pid_t pid)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->all[i].pid == pid)
            return list->all[i].descends;
    return false;
}

/* A process may come before its parent in /proc, so this repeats until nothing
 * changes. */
static void mark_descendants(struct processes *list)
{
    const pid_t self = getpid();
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < list->count; i++) {
            struct process *process = &list->all[i];
            if (process->descends)
                continue;
            process->descends = process->parent == self || is_descendant(list, process->parent);
            changed = changed || process->descends;
        }
    }
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
        if (isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, &process) &&
            !append(&list, &process))
            break;
    }
    closedir(folder);
    mark_descendants(&list);
    return list;
}

size_t tree_signal(int signal_number)
{
    struct processes list = read_processes();
    size_t living = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct process *process = &list.all[i];
        if (!process->descends || process->state == 'Z' || process->state == 'X')
            continue;
        living++;
        if (signal_number != 0)
            (void)kill(process->pid, signal_number); /* it may just have ended */
    }
    free(list.all);
    return living;
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
