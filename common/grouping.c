// Finds the processes of somebody's control group, or of a scheduler's job.
#include "common/grouping.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/messages.h"
#include "common/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Whether a line of /proc/PID/cgroup, "4:memory:/a/b", is of this group or of one below it.
static bool line_has(const struct grouping *grouping, const char *line)
{
    const char *path = strchr(line, ':');
    path = !path ? NULL : strchr(path + 1, ':');
    if (!path)
        return false;
    const size_t length = strlen(grouping->path);
    if (!grouping->is_job)
        return strncmp(path + 1, grouping->path, length) == 0 &&
               (path[1 + length] == '\0' || path[1 + length] == '/');
    for (const char *part = path; (part = strchr(part, '/')) != NULL;)
        if (strncmp(++part, grouping->path, length) == 0 &&
            (part[length] == '\0' || part[length] == '/'))
            return true;
    return false;
}

bool grouping_has(const struct grouping *grouping, const char *lines)
{
    char *copy = strdup(!lines ? "" : lines), *rest = NULL;
    bool has = false;
    for (char *line = !copy ? NULL : strtok_r(copy, "\n", &rest); line && !has;
         line = strtok_r(NULL, "\n", &rest))
        has = line_has(grouping, line);
    free(copy);
    return has;
}

bool grouping_has_process(const struct grouping *grouping, pid_t pid)
{
    char path[PATH_MAX], text[4096];
    return file_read(AT_FDCWD, process_path(pid, "cgroup", path), text, sizeof text) &&
           grouping_has(grouping, text);
}

static bool has_anybody(const struct grouping *grouping)
{
    struct processes all = {0};
    bool any = false;
    processes_read(&all);
    for (size_t i = 0; i < all.count && !any; i++)
        any = grouping_has_process(grouping, all.process[i].pid);
    processes_free(&all);
    return any;
}

// Of several hierarchies (v1, or both) the first part of a path is the name of one.
void grouping_cgroup(struct grouping *grouping, const char *option, const char *path)
{
    char own[PATH_MAX];
    const char *given = path;
    *grouping = (struct grouping){.is_job = false};
    if (strncmp(path, GROUPING_ROOT "/", strlen(GROUPING_ROOT "/")) == 0) {
        if (access(machine_path(path, own), F_OK) != 0)
            usage_error("%s %s: there is no such folder: look into " GROUPING_ROOT, option, given);
        snprintf(grouping->folder, sizeof grouping->folder, "%s", own);
        path += strlen(GROUPING_ROOT);
        if (access(machine_path(GROUPING_ROOT "/cgroup.controllers", own), F_OK) != 0)
            path = strchr(path + 1, '/');
    }
    if (!path || path[0] != '/' || path[1] == '\0')
        usage_error("%s %s: not a control group: give one such as " GROUPING_ROOT "/user.slice",
                    option, given);
    snprintf(grouping->path, sizeof grouping->path, "%s", path);
    for (size_t length = strlen(grouping->path); length > 1 && grouping->path[length - 1] == '/';)
        grouping->path[--length] = '\0';
    if (!has_anybody(grouping))
        usage_error("%s %s: no process is in it: give another one", option, given);
}

void grouping_job(struct grouping *grouping, const char *option, const char *job)
{
    *grouping = (struct grouping){.is_job = true};
    if (*job == '\0' || strspn(job, "0123456789") != strlen(job))
        usage_error("%s %s: not the number of a job: give one such as 4711", option, job);
    snprintf(grouping->path, sizeof grouping->path, "job_%s", job);
    if (!has_anybody(grouping))
        usage_error("%s %s: no control group on this node is that job's: is it on this node? Else "
                    "give its control group or a pid",
                    option, job);
}
