#ifndef METER_GROUP_H
#define METER_GROUP_H

#include "common/group.h"
#include "settings.h"

#include <stdbool.h>

// accounting_find: makes the target's group as --accounting says, of the first
// kind that this machine allows. False if the wanted kind cannot be had (never for
// auto and rusage); a message was printed.
bool accounting_find(struct group *group, enum accounting wanted);

// accounting_of: the way of accounting that a group is.
enum accounting accounting_of(const struct group *group);

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
struct usage;
bool account_end(struct account *account, struct usage *usage, struct group_usage *group);

void account_close(struct account *account);

// accounting_sweep: removes the groups of meters that were killed; for struct keeper.
void accounting_sweep(void *unused);

#endif
