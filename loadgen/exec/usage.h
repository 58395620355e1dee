#ifndef LOADGEN_EXEC_USAGE_H
#define LOADGEN_EXEC_USAGE_H

/* The CPU time of a command's whole process tree. A control group counts all of it;
 * processes that nobody waits for (a parent that ignores SIGCHLD) take theirs with them,
 * so that a walk over the tree is a lower bound. */

#include "common/group.h"

#include <stdint.h>

/* How it is found; by index of exec_accounting_names. */
enum exec_accounting {
    EXEC_AUTO,     /* the first of the following that this machine allows */
    EXEC_CGROUP2,  /* a group of the unified hierarchy */
    EXEC_CGROUP1,  /* a group of the cpuacct hierarchy */
    EXEC_PROCESSES /* the processes that live, and what was waited for */
};

extern const char *const exec_accounting_names[]; /* ended by NULL */

struct exec_usage {
    struct group group; /* of the command; none: the tree is walked */
    int64_t walked_ns;  /* what the last walk found */
    int64_t sum_ns;     /* what all walks found, without what has got lost between them */
};

/* Makes the group, and sees that a process can be started in it. Before anything else is
 * started. False: the wanted way cannot be had (never of EXEC_AUTO). */
bool exec_usage_open(struct exec_usage *usage, enum exec_accounting wanted);
/* After the last process has ended; removes the group. */
void exec_usage_close(struct exec_usage *usage);
/* CPU time in ns of all that was started so far; never less than before. */
int64_t exec_usage_ns(struct exec_usage *usage);
/* "cgroup2", "cgroup1" or "processes". */
const char *exec_usage_name(const struct exec_usage *usage);

#endif
