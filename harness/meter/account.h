#ifndef METER_ACCOUNT_H
#define METER_ACCOUNT_H

#include "group.h"
#include "supervise.h"

// Others' control group, in which the target, a client, has its work done (--account).
struct account {
    struct group group;  // where its CPU time is counted; GROUP_NONE: there is no --account
    int memory_fd;       // the folder where its memory is
    bool resets;         // whether its peak can be that of a run
    uint64_t most_bytes; // else the most that was seen at a run's ends
    struct group_usage before;
};

// account_open: of the folders of --account: one in v2, or those of cpuacct and memory in v1. False
// after a message.
bool account_open(struct account *account, const struct settings *settings);

// account_begin: of a run. account_end: puts what the group has used since then in the place of
// what the target has. False after a message: the group is gone.
bool account_begin(struct account *account);
bool account_end(struct account *account, struct usage *usage, struct group_usage *group);

void account_close(struct account *account);

#endif
