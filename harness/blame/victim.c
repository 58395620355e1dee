#include "harness/blame/victim.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/messages.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUPS "/sys/fs/cgroup"

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

/* Whether a line of /proc/PID/cgroup, "4:memory:/a/b", is of this group or of one below it. */
static bool line_has(const struct victim *victim, const char *line)
{
    const char *path = strchr(line, ':');
    path = path == NULL ? NULL : strchr(path + 1, ':');
    if (path == NULL)
        return false;
    const size_t length = strlen(victim->path);
    if (victim->kind == VICTIM_CGROUP)
        return strncmp(path + 1, victim->path, length) == 0 &&
               (path[1 + length] == '\0' || path[1 + length] == '/');
    for (const char *part = path; (part = strchr(part, '/')) != NULL;)
        if (strncmp(++part, victim->path, length) == 0 &&
            (part[length] == '\0' || part[length] == '/'))
            return true;
    return false;
}

static bool group_has(const struct victim *victim, const char *group)
{
    char *lines = strdup(group == NULL ? "" : group), *rest = NULL;
    bool has = false;
    for (char *line = lines == NULL ? NULL : strtok_r(lines, "\n", &rest); line != NULL && !has;
         line = strtok_r(NULL, "\n", &rest))
        has = line_has(victim, line);
    free(lines);
    return has;
}

/* A group that nobody is in cannot be slowed down. */
static bool anybody(const struct victim *victim)
{
    struct processes all = {0};
    bool any = false;
    processes_read(&all);
    for (size_t i = 0; i < all.count && !any; i++) {
        char inner[64], path[PATH_MAX], text[4096];
        snprintf(inner, sizeof inner, "/proc/%d/cgroup", (int)all.process[i].pid);
        any = file_read(AT_FDCWD, machine_path(inner, path), text, sizeof text) &&
              group_has(victim, text);
    }
    processes_free(&all);
    return any;
}

/* Both /sys/fs/cgroup/... and what /proc/PID/cgroup shows are taken. Of several hierarchies (v1,
 * or both) the first part of a path is the name of one. */
void victim_cgroup(struct victim *victim, const char *path)
{
    char own[PATH_MAX];
    const char *given = path;
    victim->kind = VICTIM_CGROUP;
    if (strncmp(path, CGROUPS "/", strlen(CGROUPS "/")) == 0) {
        if (access(machine_path(path, own), F_OK) != 0)
            usage_error("--cgroup %s: there is no such folder: look into " CGROUPS, given);
        snprintf(victim->folder, sizeof victim->folder, "%s", own);
        path += strlen(CGROUPS);
        if (access(machine_path(CGROUPS "/cgroup.controllers", own), F_OK) != 0)
            path = strchr(path + 1, '/');
    }
    if (path == NULL || path[0] != '/' || path[1] == '\0')
        usage_error("--cgroup %s: not a control group: give one such as " CGROUPS
                    "/user.slice, or leave it out for the whole node",
                    given);
    snprintf(victim->path, sizeof victim->path, "%s", path);
    for (size_t length = strlen(victim->path); length > 1 && victim->path[length - 1] == '/';)
        victim->path[--length] = '\0';
    if (!anybody(victim))
        usage_error("--cgroup %s: no process is in it: give another one", given);
}

void victim_job(struct victim *victim, const char *job)
{
    victim->kind = VICTIM_JOB;
    if (*job == '\0' || strspn(job, "0123456789") != strlen(job))
        usage_error("--job %s: not the number of a job: give one such as 4711", job);
    snprintf(victim->path, sizeof victim->path, "job_%s", job);
    if (!anybody(victim))
        usage_error("--job %s: no control group on this node is that job's: is it on this node? "
                    "else give --cgroup or --pid",
                    job);
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
    return who->group == NULL ? parent != NULL && parent->victim : group_has(victim, who->group);
}

/* The hierarchy that has the CPUs: v2, or v1's cpu. */
void victim_find_folder(struct victim *victim, const struct who *who)
{
    static const struct {
        const char *line, *folder;
    } hierarchies[] = {
        {"0::/", CGROUPS}, {":cpu:/", CGROUPS "/cpu"}, {":cpu,cpuacct:/", CGROUPS "/cpu"}};
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
        snprintf(text, size, "cgroup %.200s", victim->path);
        break;
    case VICTIM_JOB:
        snprintf(text, size, "job %.40s", victim->path + strlen("job_"));
        break;
    }
}
