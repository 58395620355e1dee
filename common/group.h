// A control group of our own, made below the group that this process is in, so that
// no limit is escaped. It only counts: a hierarchy in which a group would also change
// how CPU or disk time is shared out is left alone, because that would change what is
// measured.
#ifndef COMMON_GROUP_H
#define COMMON_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum group_kind {
    GROUP_NONE,
    GROUP_V1, // in the cpuacct hierarchy
    GROUP_V2, // in the unified hierarchy
};

struct group {
    enum group_kind kind;
    int folder_fd;       // the group's folder, -1: there is none now
    char path[PATH_MAX]; // of the folder
};

#define GROUP_OF_NONE ((struct group){.kind = GROUP_NONE, .folder_fd = -1})

struct group_usage {
    bool has_cpu;
    int64_t user_ns;
    int64_t system_ns;
    bool has_peak; // memory controller of cgroup v2 (5.19 and later)
    uint64_t peak_bytes;
};

// Finds where a group of that kind can be made, makes it as PREFIX.PID, and removes
// what processes with the same prefix that were killed have left there. False: there is
// no such place, or it may not be made; *group is then GROUP_OF_NONE.
bool group_find(struct group *group, const char *prefix, enum group_kind kind);

// Removes what processes with that prefix that were killed have left, in hierarchies of both kinds.
void group_sweep(const char *prefix);

// Removes those in one folder; nothing to do where it is not there.
void group_sweep_in(const char *parent, const char *prefix);

// Makes the group again after group_remove(): page cache that members leave behind
// stays charged to their group, and would be in the peak of the next ones. Nothing to
// do without a kind, or where it is there. False with errno.
bool group_make(struct group *group);

// Forks; in v2 the new process is born in the group (Linux 5.7): moving it in later
// would cost the machine a grace period of RCU. In v1, and without a group, as fork():
// the child then calls group_enter().
pid_t group_fork(const struct group *group);

// Moves the calling process into a group of v1; nothing to do for others. False with
// errno.
bool group_enter(const struct group *group);

// Kills every member, at once where the kernel can (v2, Linux 5.14); elsewhere those
// that it finds: call it again, for what they forked meanwhile. Nothing may be started in the group
// afterwards: on some kernels (seen: 6.18) group_fork()'s child would be killed, too.
void group_kill(const struct group *group);

// The members, in a block to be freed; NULL where there is none, or no group. Those of groups
// that members have made below it are not among them.
pid_t *group_list(const struct group *group, size_t *count);

// What the members, also those that ended, have used so far.
void group_read(const struct group *group, struct group_usage *usage);

// To be called when no member is left alive; may be repeated. Groups that members have
// made below it are removed, too.
void group_remove(struct group *group);

// Removes it, and makes no further one.
void group_give_up(struct group *group);

#endif
