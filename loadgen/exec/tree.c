#include "exec/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

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
    /* The command's name stands in parentheses, and may contain any. */
    const char *rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest, ") %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %llu %llu",
               &process->state, &process->parent, &user, &system) != 4)
        return false;
    process->pid = (pid_t)strtol(name, NULL, 10);
    process->children_ns =
        (int64_t)((user + system) * (1000000000ULL / (unsigned long long)sysconf(_SC_CLK_TCK)));
    process->descends = 0;
    return true;
}

static int add(struct tree *tree, size_t *room, const struct process *process)
{
    if (tree->count == *room) {
        const size_t more = *room == 0 ? 256 : 2 * *room;
        struct process *larger = reallocarray(tree->processes, more, sizeof *larger);
        if (larger == NULL)
            return -1;
        tree->processes = larger;
        *room = more;
    }
    tree->processes[tree->count++] = *process;
    return 0;
}

static const struct process *find(const struct tree *tree, pid_t pid)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->processes[i].pid == pid)
            return &tree->processes[i];
    return NULL;
}

/* A process may stand before its parent in /proc, so this goes round until
 * nothing changes. */
static void mark_descendants(struct tree *tree)
{
    const pid_t self = getpid();
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < tree->count; i++) {
            struct process *process = &tree->processes[i];
            const struct process *parent = find(tree, process->parent);
            if (process->descends ||
                !(process->parent == self || (parent != NULL && parent->descends)))
                continue;
            process->descends = 1;
            changed = true;
        }
    }
}

int tree_find(struct tree *tree)
{
    struct process process;
    size_t room = 0;
    int failed = 0;
    *tree = (struct tree){0};
    DIR *folder = opendir("/proc");
    if (folder == NULL)
        return -1;
    for (struct dirent *entry; failed == 0 && (entry = readdir(folder)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]) && read_process(entry->d_name, &process))
            failed = add(tree, &room, &process);
    closedir(folder);
    mark_descendants(tree);
    return failed;
}

void tree_free(struct tree *tree)
{
    free(tree->processes);
    *tree = (struct tree){0};
}

size_t tree_signal(int signal_number)
{
    struct tree tree;
    size_t living = 0;
    if (tree_find(&tree) == 0) {
        for (size_t i = 0; i < tree.count; i++) {
            if (!tree.processes[i].descends || tree.processes[i].state == 'Z')
                continue;
            living++;
            kill(tree.processes[i].pid, signal_number); /* it may just have ended: as well */
        }
    }
    tree_free(&tree);
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
    struct tree tree;
    struct rusage ended;
    int64_t total_ns = 0;
    if (getrusage(RUSAGE_CHILDREN, &ended) == 0)
        total_ns = timeval_ns(ended.ru_utime) + timeval_ns(ended.ru_stime);
    if (tree_find(&tree) == 0)
        for (size_t i = 0; i < tree.count; i++)
            if (tree.processes[i].descends)
                total_ns += own_cpu_ns(tree.processes[i].pid) + tree.processes[i].children_ns;
    tree_free(&tree);
    return total_ns;
}
