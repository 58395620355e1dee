// Lists of CPUs, and on which of them a thread or a process runs.
#ifndef COMMON_CPUS_H
#define COMMON_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    // CPUs that are known, 0 to CPUS_MOST - 1: the most that Linux is built for (CONFIG_NR_CPUS
    // with MAXSMP); glibc's cpu_set_t ends at 1,024, where larger kernels refuse it.
    CPUS_MOST = 8192,
    // Bytes that any list has room in as text: pairs with a gap are the longest, 10 bytes
    // ("8188-8189,") for every 3 CPUs.
    CPUS_TEXT = 32768
};

struct cpu_list {
    unsigned count;
    int cpu[CPUS_MOST]; // ascending
};

// The affinity mask, which a cpuset has narrowed already. 0, or -1 with errno.
int cpus_allowed(struct cpu_list *list);
// "0-3,8". 0, or -1 when the text is no such list.
int cpus_parse(const char *text, struct cpu_list *list);
// The first of `wanted` that is not in `allowed`; -1 when all are.
int cpus_missing(const struct cpu_list *wanted, const struct cpu_list *allowed);
// Whether they have a CPU in common.
bool cpus_overlap(const struct cpu_list *a, const struct cpu_list *b);
// "0-3,8" into text, of CPUS_TEXT bytes or of what is long enough; returns text.
const char *cpus_format(const struct cpu_list *list, char *text, size_t size);
// CPU bandwidth of the cgroup that this process is in, or of the tightest one
// above it, in CPUs; v2 cpu.max or v1 cpu.cfs_quota_us. INFINITY: no quota.
double cpus_quota(void);

// cpu.stat of the nearest group with a quota, from our own up; -1: there is none, or no such file.
int cpus_throttled_open(void);
// How long it has held back CPUs so far, in nanoseconds, summed over CPUs. False for fd -1.
bool cpus_throttled_ns(int fd, uint64_t *throttled_ns);
// Puts the calling thread on one CPU, or on a whole list.
int cpus_pin(int cpu);
int cpus_pin_list(const struct cpu_list *list);
// Another process, and what it starts from now on.
int cpus_pin_process(pid_t process, const struct cpu_list *list);
// Where a thread of this or another process may run at this moment, added to
// *list. False, and nothing added, when it is gone.
bool cpus_of_thread(pid_t thread, struct cpu_list *list);
// Adds one CPU, which may be there already.
void cpus_add(struct cpu_list *list, int cpu);

#endif
