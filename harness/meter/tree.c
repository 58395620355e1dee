#include "tree.h"

#include "file.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process {
    pid_t pid;
    pid_t parent;
    bool ended; // a zombie
    bool ours;
};

struct processes {
    struct process *all;
    size_t count;
    size_t room;
};

// Reads pid, state and parent from /proc/PID/stat: `pid (name) state parent ...`,
// where the name may hold anything, parentheses too.
static bool read_process(int proc_fd, const char *name, struct process *process)
{
    char path[64];
    char text[512];
    char state;
    int parent;
    (void)snprintf(path, sizeof path, "%.20s/stat", name);
    if (!file_read(proc_fd, path, text, sizeof text))
        return false;
    const char *rest = strrchr(text, ')');
    if (rest == NULL || sscanf(rest, ") %c %d", &state, &parent) != 2)
        return false;
    *process = (struct process){.pid = (pid_t)strtol(name, NULL, 10),
                                .parent = parent,
                                .ended = state == 'Z' || state == 'X'};
    return true;
}

static bool append(struct processes *list, struct process process)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 256 : 2 * list->room;
        struct process *grown = realloc(list->all, room * sizeof *grown);
        if (grown == NULL)
            return false;
        list->all = grown;
        list->room = room;
    }
    list->all[list->count++] = process;
    return true;
}

static void read_processes(struct processes *list)
{
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
        struct process process;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        // One that ended since is no loss; out of memory, the next walk
        // sees those that this one has left alive.
        if (read_process(dirfd(proc), entry->d_name, &process) && !append(list, process))
            break;
    }
    closedir(proc);
}

static bool is_ours(const struct processes *list, pid_t parent)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->all[i].pid == parent)
            return list->all[i].ours;
    }
    return false;
}

// Numbers need not grow from parent to child, so until nothing changes.
static void mark_descendants(struct processes *list)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < list->count; i++) {
            struct process *process = &list->all[i];
            if (process->ours)
                continue;
            process->ours = process->parent == getpid() || is_ours(list, process->parent);
            changed = changed || process->ours;
        }
    }
}

size_t tree_signal(int signal_number)
{
    struct processes list = {0};
    size_t living = 0;
    read_processes(&list);
    mark_descendants(&list);
    for (size_t i = 0; i < list.count; i++) {
        if (!list.all[i].ours || list.all[i].ended)
            continue;
        living++;
        if (signal_number != 0)
            (void)kill(list.all[i].pid, signal_number); // it may just have ended
    }
    free(list.all);
    return living;
}
