#include "harness/blame/victim.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/messages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void victim_pid(struct victim *victim, uint64_t pid)
{
    char inner[64], path[PATH_MAX], text[1024];
    struct process process;
    snprintf(inner, sizeof inner, "/proc/%llu/stat", (unsigned long long)pid);
    if (pid > INT_MAX || !file_read(AT_FDCWD, machine_path(inner, path), text, sizeof text) ||
        !process_parse(text, &process))
        usage_error("--pid %llu: there is no such process, or /proc hides it (hidepid): look with "
                    "ps, or leave --pid out for the whole node",
                    (unsigned long long)pid);
    if (process.state == 'Z' || process.state == 'X')
        usage_error("--pid %llu: it has ended (a zombie, for which pid %d has not waited): give "
                    "one that runs",
                    (unsigned long long)pid, (int)process.parent);
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

void victim_cgroup(struct victim *victim, const char *path)
{
    victim->kind = VICTIM_CGROUP;
    grouping_cgroup(&victim->group, "--cgroup", path);
    snprintf(victim->folder, sizeof victim->folder, "%s", victim->group.folder);
}

void victim_job(struct victim *victim, const char *job)
{
    victim->kind = VICTIM_JOB;
    grouping_job(&victim->group, "--job", job);
}

bool victim_has(const struct victim *victim, struct who *who, const struct who *parent)
{
    switch (victim->kind) {
    case VICTIM_NODE:
        return false;
    case VICTIM_PROGRAM:
    case VICTIM_PID:
        return who->pid == victim->pid || (parent != NULL && parent->victim);
    case VICTIM_CGROUP:
    case VICTIM_JOB:
        break;
    }
    who_ask(who);
    return who->group == NULL ? parent != NULL && parent->victim
                              : grouping_has(&victim->group, who->group);
}

/* The hierarchy that has the CPUs: v2, or v1's cpu. */
void victim_find_folder(struct victim *victim, const struct who *who)
{
    static const struct {
        const char *line, *folder;
    } hierarchies[] = {{"0::/", GROUPING_ROOT},
                       {":cpu:/", GROUPING_ROOT "/cpu"},
                       {":cpu,cpuacct:/", GROUPING_ROOT "/cpu"}};
    for (size_t i = 0; who->group != NULL && i < sizeof hierarchies / sizeof *hierarchies; i++) {
        char folder[2 * PATH_MAX], path[PATH_MAX];
        const char *line = strstr(who->group, hierarchies[i].line);
        if (line == NULL || victim->folder[0] != '\0')
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
