// Finds the victim of blame, and which processes belong to it.

#include "blame.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/messages.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// A thread has a folder in /proc, too, which no list shows: its process is what can be looked at.
static void refuse_thread(uint64_t pid)
{
    char path[PATH_MAX], text[4096];
    uint64_t group = pid;
    if (file_read(AT_FDCWD, process_path((pid_t)pid, "status", path), text, sizeof text) &&
        file_number(text, "\nTgid:\t", &group) && group != pid)
        usage_error("--pid %llu: that is a thread of process %llu: give --pid %llu",
                    (unsigned long long)pid, (unsigned long long)group, (unsigned long long)group);
}

static void find_pid(struct victim *victim, uint64_t pid)
{
    struct process process;
    if (!process_read((pid_t)pid, &process))
        usage_error("--pid %llu: there is no such process, or /proc hides it (hidepid): look with "
                    "ps, or leave --pid out for the whole node",
                    (unsigned long long)pid);
    if (process.state == 'Z' || process.state == 'X')
        usage_error("--pid %llu: it has ended (a zombie, for which pid %d has not waited): give "
                    "one that runs",
                    (unsigned long long)pid, (int)process.parent);
    refuse_thread(pid);
    if (process.kernel)
        usage_error("--pid %llu: a thread of the kernel, which works for others: leave --pid out "
                    "for the whole node",
                    (unsigned long long)pid);
    if ((pid_t)pid == getpid())
        usage_error("--pid %llu: that is jostle itself: give another one", (unsigned long long)pid);
    victim->kind = VICTIM_PID;
    victim->pid = (pid_t)pid;
    memcpy(victim->name, process.name, sizeof victim->name);
}

void victim_find(struct victim *victim, const struct blame_options *options)
{
    *victim = (struct victim){0};
    if (options->pid != 0) {
        find_pid(victim, options->pid);
    } else if (options->cgroup) {
        victim->kind = VICTIM_CGROUP;
        grouping_cgroup(&victim->group, "--cgroup", options->cgroup);
        snprintf(victim->folder, sizeof victim->folder, "%s", victim->group.folder);
    } else if (options->job) {
        victim->kind = VICTIM_JOB;
        grouping_job(&victim->group, "--job", options->job);
    } else if (options->program) {
        const char *slash = strrchr(options->program[0], '/');
        victim->kind = VICTIM_PROGRAM;
        snprintf(victim->name, sizeof victim->name, "%s", !slash ? options->program[0] : slash + 1);
    }
}

bool victim_has(const struct victim *victim, struct who *who, const struct who *parent)
{
    switch (victim->kind) {
    case VICTIM_NODE:
        return false;
    case VICTIM_PROGRAM:
    case VICTIM_PID:
        return who->pid == victim->pid || (parent && parent->victim);
    case VICTIM_CGROUP:
    case VICTIM_JOB:
        break;
    }
    who_ask(who);
    return !who->group ? parent && parent->victim : grouping_has(&victim->group, who->group);
}

// The hierarchy that has the CPUs: v2, or v1's cpu.
void victim_find_folder(struct victim *victim, const struct who *who)
{
    static const struct {
        const char *line, *folder;
    } hierarchies[] = {{"0::/", GROUPING_ROOT},
                       {":cpu:/", GROUPING_ROOT "/cpu"},
                       {":cpu,cpuacct:/", GROUPING_ROOT "/cpu"}};
    for (size_t i = 0; who->group && i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char folder[2 * PATH_MAX], path[PATH_MAX];
        const char *line = strstr(who->group, hierarchies[i].line);
        if (!line || victim->folder[0] != '\0')
            continue;
        line += strlen(hierarchies[i].line);
        snprintf(folder, sizeof folder, "%s/%.*s/cpu.stat", hierarchies[i].folder,
                 (int)strcspn(line, "\n"), line);
        if (access(machine_path(folder, path), R_OK) == 0)
            snprintf(victim->folder, sizeof victim->folder, "%.*s",
                     (int)(strlen(path) - strlen("/cpu.stat")), path);
    }
}

void victim_text(const struct victim *victim, char *text, size_t size)
{
    switch (victim->kind) {
    case VICTIM_NODE:
        snprintf(text, size, "this node");
        break;
    case VICTIM_PROGRAM:
        snprintf(text, size, "%s", victim->name);
        break;
    case VICTIM_PID:
        snprintf(text, size, "pid %d (%s)", (int)victim->pid, victim->name);
        break;
    case VICTIM_CGROUP:
        snprintf(text, size, "cgroup %.200s", victim->group.path);
        break;
    case VICTIM_JOB:
        snprintf(text, size, "job %.40s", victim->group.path + strlen("job_"));
        break;
    }
}
