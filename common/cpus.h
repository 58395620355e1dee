#ifndef LOADGEN_CPUS_H
#define LOADGEN_CPUS_H

/* Which CPUs this process may use, and how much of them. */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cpu_list {
    unsigned count;
    int cpu[CPU_SETSIZE]; /* ascending */
};

/* The affinity mask, which a cpuset has narrowed already. 0, or -1 with errno. */
int cpus_allowed(struct cpu_list *list);
/* "0-3,8". 0, or -1 when the text is no such list. */
int cpus_parse(const char *text, struct cpu_list *list);
/* The first of `wanted` that is not in `allowed`; -1 when all are. */
int cpus_missing(const struct cpu_list *wanted, const struct cpu_list *allowed);
/* "0-3,8" into text; returns text. */
const char *cpus_format(const struct cpu_list *list, char *text, size_t size);
/* CPU bandwidth of the cgroup that this process is in, or of the tightest one
 * above it, in CPUs; v2 cpu.max or v1 cpu.cfs_quota_us. INFINITY: no quota. */
double cpus_quota(void);
/* Puts the calling thread on one CPU, or on a whole list. */
int cpus_pin(int cpu);
int cpus_pin_list(const struct cpu_list *list);
/* Where a thread of this or another process may run at this moment, added to
 * *list. False, and nothing added, when it is gone. */
bool cpus_of_thread(pid_t thread, struct cpu_list *list);
/* Adds one CPU, which may be there already. */
void cpus_add(struct cpu_list *list, int cpu);

#endif
