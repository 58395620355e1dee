/* Source: proc_pid_stat(5). */

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

/* Fields of the line, counted from 1 as in proc_pid_stat(5). */
enum field {
    FIELD_PARENT = 4,
    FIELD_SESSION = 6,
    FIELD_FLAGS = 9,
    FIELD_USER_TIME = 14, /* and system, and both of children */
    FIELD_THREADS = 20,
    FIELD_STARTED = 22, /* what older kernels and made-up machines have ends here */
    FIELD_CPU = 39,
    FIELD_DISK_WAIT = 42,
    FIELDS,
};

#define FLAG_KERNEL 0x00200000 /* PF_KTHREAD */

/* "PID (NAME) STATE PPID PGRP SESSION ... utime stime ... starttime": the name may hold
 * anything, even ") ". */
bool process_parse(const char *text, struct process *process)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    long long field[FIELDS] = {[FIELD_CPU] = -1};
    int known = FIELD_PARENT;
    if (name == NULL || end == NULL || end < name || end[1] != ' ' || end[2] == '\0')
        return false;
    process->state = end[2];
    for (char *next = NULL; known < FIELDS; known++) {
        const char *at = next == NULL ? end + 3 : next;
        field[known] = strtoll(at, &next, 10);
        if (next == at)
            break;
    }
    if (known <= FIELD_STARTED)
        return false;
    if (known <= FIELD_CPU)
        field[FIELD_CPU] = -1;
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
    if (more == NULL)
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

void processes_read(struct processes *processes)
{
    char path[PATH_MAX];
    processes->count = 0;
    DIR *folder = opendir(machine_path("/proc", path));
    if (folder == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
            continue;
        if (processes->count == processes->room && !grow(processes))
            break;
        processes->count +=
            read_one(dirfd(folder), entry->d_name, &processes->process[processes->count]);
    }
    closedir(folder);
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
    return found != NULL && found->started == process->started ? found : NULL;
}
