// Reads all processes that /proc shows, and marks the descendants of one.
#include "common/processes.h"

#include "common/file.h"
#include "common/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool read_stat(int folder, const char *path, struct process *process)
{
    char text[1024];
    struct stat owner;
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

const char *process_path(pid_t pid, const char *name, char buffer[PATH_MAX])
{
    char inner[128];
    if (pid == 0)
        snprintf(inner, sizeof inner, "/proc/self/%s", name);
    else
        snprintf(inner, sizeof inner, "/proc/%d/%s", (int)pid, name);
    return machine_path(inner, buffer);
}

bool process_read(pid_t pid, struct process *process)
{
    char path[PATH_MAX];
    return read_stat(AT_FDCWD, process_path(pid, "stat", path), process);
}

static int by_pid(const void *a, const void *b)
{
    const struct process *one = a, *other = b;
    return (one->pid > other->pid) - (one->pid < other->pid);
}

// False: there is no memory for it.
static bool append(struct processes *processes, const struct process *process)
{
    if (processes->count == processes->room) {
        const size_t room = processes->room == 0 ? 256 : 2 * processes->room;
        struct process *more = realloc(processes->process, room * sizeof *more);
        if (!more)
            return false;
        processes->process = more;
        processes->room = room;
    }
    processes->process[processes->count++] = *process;
    return true;
}

static void read_folder(struct processes *processes, const char *path)
{
    struct process process;
    char inner[300];
    processes->count = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        snprintf(inner, sizeof inner, "%s/stat", entry->d_name);
        if (read_stat(dirfd(folder), inner, &process) && !append(processes, &process))
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

// Generation by generation from the root on; sorts them by their parents.
static void mark_descendants(struct processes *list, pid_t root)
{
    size_t queued = 0;
    size_t *queue = calloc(list->count + 1, sizeof *queue);
    if (!queue)
        return;
    qsort(list->process, list->count, sizeof *list->process, by_parent);
    mark_children(list, root, queue, &queued);
    for (size_t i = 0; i < queued; i++)
        mark_children(list, list->process[queue[i]].pid, queue, &queued);
    free(queue);
}

void processes_read_tree(struct processes *processes, pid_t root)
{
    processes_read(processes);
    mark_descendants(processes, root);
    if (processes->count > 0)
        qsort(processes->process, processes->count, sizeof *processes->process, by_pid);
}

void processes_read_own_tree(struct processes *processes)
{
    read_folder(processes, "/proc");
    mark_descendants(processes, getpid());
}
