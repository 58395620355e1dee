// Processes that a control group, with those below it, or a scheduler's job has together. A job is
// found by its control group, which schedulers name job_ID.
#ifndef COMMON_GROUPING_H
#define COMMON_GROUPING_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#define GROUPING_ROOT "/sys/fs/cgroup"

struct grouping {
    char path[PATH_MAX]; // as /proc/PID/cgroup has it; of a job the part job_ID
    bool is_job;
    char folder[PATH_MAX + 64]; // where it was given as one below GROUPING_ROOT; else ""
};

// Each ends the program with exit 2 where there is no such group, or nobody is in it. `option` is
// named in the message. Both /sys/fs/cgroup/... and what /proc/PID/cgroup shows are paths.
void grouping_cgroup(struct grouping *grouping, const char *option, const char *path);
void grouping_job(struct grouping *grouping, const char *option, const char *job);

// Whether a process with these lines of /proc/PID/cgroup belongs to it.
bool grouping_has(const struct grouping *grouping, const char *lines);
// Says the same of a process; false also where it cannot be read.
bool grouping_has_process(const struct grouping *grouping, pid_t pid);

#endif
