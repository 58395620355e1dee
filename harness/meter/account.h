// Others' control group, in which the target, a client, has its work done (--account).
#ifndef METER_ACCOUNT_H
#define METER_ACCOUNT_H

#include "accounting.h"
#include "command_line.h"

#include "common/group.h"

#include <stdbool.h>
#include <stdint.h>

// Others' control group, in which the target, a client, has its work done (--account).
struct account {
    struct group group;      // where its CPU time is counted; GROUP_NONE: there is no --account
    int memory_fd;           // the folder where its memory is
    bool resets;             // whether its peak can be that of a run
    uint64_t most_bytes;     // else the most that was seen at a run's ends
    uint64_t resident_bytes; // of its processes, without page cache, when the run began
    struct group_usage before;
};

#define ACCOUNT_OF_NONE ((struct account){.group = GROUP_OF_NONE, .memory_fd = -1})

// Opens the folders of --account: one in v2, or those of cpuacct and memory in v1. False
// after a message.
bool account_open(struct account *account, const struct command_line *asked);

// At the ends of a run. account_end: puts what the group has used since then in the place of
// what the target has. False after a message: the group is gone.
bool account_begin(struct account *account);
bool account_end(struct account *account, struct usage *usage, struct group_usage *group);

void account_close(struct account *account);

#endif
