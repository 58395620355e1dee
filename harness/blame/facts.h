#ifndef BLAME_FACTS_H
#define BLAME_FACTS_H

/* What the kernel counts of the whole node, without root, and of one control group: how much grew
 * between two looks. Under JOSTLE_KERNEL_ROOT where that is set. */

#include "common/machine.h"

#include <stdint.h>
#include <sys/types.h>

/* The counters at one moment; UNKNOWN: this kernel does not show it. */
struct look {
    double time_s;
    double own_s; /* CPU time of this process */
    struct counters counters;
    int64_t throttled_us; /* of the group, or of one around it */
    int64_t group_io_us;  /* some task of the group waited for a disk (cgroup v2) */
    int64_t disk_bytes, network_bytes, loopback_bytes;
    int64_t resctrl_bytes; /* through memory, of all */
};

/* NAN: this kernel does not show it. Shares are of the time, 0 to 1. */
struct facts {
    double duration_s;
    double cpus;                           /* online */
    double cpu_some, memory_some, io_some; /* some task waited (pressure stall information) */
    double steal;                          /* of the time of all CPUs */
    double throttled;                      /* of the time, the group by its own quota */
    double group_io;                       /* some task of the group waited for a disk */
    double busy_cpus;                      /* of all tasks, this program among them */
    double own_cpus;                       /* this program */
    double swap_in_per_s;                  /* pages */
    double heat_throttles;                 /* of the cores, by heat: how often */
    double clock_mhz;                      /* mean of the CPUs */
    double memory_per_s;                   /* bytes, where resctrl has it */
    double disk_per_s, network_per_s, loopback_per_s; /* bytes */
};

/* folder: of the group whose quota is looked at; "": none. pid: whose network; 0: ours. */
void look_take(struct look *look, const char *folder, pid_t pid);
void facts_between(const struct look *before, const struct look *after, struct facts *facts);

#endif
