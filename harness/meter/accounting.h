// What the tree of processes has used, and where that is counted.
#ifndef METER_ACCOUNTING_H
#define METER_ACCOUNTING_H

#include "command_line.h"

#include "common/group.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

// Makes the target's group as --accounting says, of the first
// kind that this machine allows. False if the wanted kind cannot be had (never for
// auto and rusage); a message was printed.
bool accounting_find(struct group *group, enum accounting wanted);

// The way of accounting that a group stands for.
enum accounting accounting_of(const struct group *group);

// Removes the groups of meters that were killed; for struct keeper.
void accounting_sweep(void *unused);

// What the tree has used: sums over its processes, but the peak memory, which
// is that of the largest one.
struct usage {
    enum accounting accounting; // where the CPU time comes from
    int64_t user_ns;
    int64_t system_ns;
    uint64_t max_rss_bytes;
    uint64_t major_faults;
    uint64_t minor_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t blocks_in;  // of 512 bytes
    uint64_t blocks_out; // of 512 bytes
};

// Adds a process that was waited for, with all that it has waited
// for itself, as wait4(2) gives it.
void usage_add(struct usage *usage, const struct rusage *process);

// Takes the CPU time from the group where it saw no less than was
// summed up; a member that moved to another group makes the sum the better one. Then
// without what the target's process used before it became the target, which both have:
// launch_ns in all, and launch_group_ns of it as a member of the group.
void usage_choose(struct usage *usage, enum accounting kind, const struct group_usage *group,
                  int64_t launch_ns, int64_t launch_group_ns);

#endif
