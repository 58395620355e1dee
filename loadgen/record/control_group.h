// What the kernel has counted for a control group, in cgroup v1 and v2.
#ifndef LOADGEN_RECORD_CONTROL_GROUP_H
#define LOADGEN_RECORD_CONTROL_GROUP_H

#include "common/cgroup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct control_group {
    bool v2;
    char procs[CGROUP_PATH];                                     // the folder that lists processes
    char cpu[CGROUP_PATH], memory[CGROUP_PATH], io[CGROUP_PATH]; // "": there is none
};

// One block device, since boot.
struct group_disk {
    unsigned major, minor;
    char name[32];                                 // "": not known
    double read_bytes, write_bytes, reads, writes; // of the group
    double busy_ms, queued_ms;                     // of all programs; NAN: not known
};

enum group_pressure {
    GROUP_PRESSURE_CPU,
    GROUP_PRESSURE_IO,
    GROUP_PRESSURE_MEMORY,
    GROUP_PRESSURES
};

// What has been counted since the group was made; NAN: not counted here.
struct group_counts {
    double cpu_ns, throttled_ns;
    double memory_bytes, anonymous_bytes, file_bytes; // now
    double waited_us[GROUP_PRESSURES];                // by at least one of its tasks
    size_t disk_count, allocated;
    struct group_disk *disk;
};

// Finds a group by its folder, or by its path below the top of the hierarchy. False: there is none.
bool control_group_find(struct control_group *group, const char *path);
// Finds that of a Slurm job on this node. False: there is none.
bool control_group_find_job(struct control_group *group, const char *job);
// Reads all. False: the group has gone. counts->disk is reused, and is the caller's to free.
bool control_group_read(const struct control_group *group, struct group_counts *counts);
// All processes in it and in the groups below it, sorted, to be freed; NULL where *count is 0.
pid_t *control_group_pids(const struct control_group *group, size_t *count);

#endif
