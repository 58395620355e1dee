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

/* "PID (NAME) STATE PPID PGRP SESSION ... utime stime ... starttime": the name may hold
 * anything, even ") ". */
static bool parse(const char *text, struct process *process)
{
    const char *name = strchr(text, '('), *end = strrchr(text, ')');
    long long user, system, child_user, child_system;
    int session;
    if (name == NULL || end == NULL || end < name ||
        sscanf(
            end + 1,
            " %*c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld %*d %*d %*d %*d %lld",
            &session, &user, &system, &child_user, &child_system, &process->started) != 6)
        return false;
    process->pid = (pid_t)strtol(text, NULL, 10);
    process->session = session;
    process->ticks = user + system;
    process->waited = child_user + child_system;
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
    if (!read || !parse(text, process))
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
