#ifndef METER_GROUP_H
#define METER_GROUP_H

#include "settings.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

// A control group of the target's own, made below the group that meter is in,
// so that no limit is escaped. It only counts: a hierarchy in which a group
// would also change how CPU or disk time is shared out is left alone, because
// that would change what is measured.
struct group {
    enum accounting kind; // CGROUP2 or CGROUP1; RUSAGE: there is no group
    int folder_fd;        // the group's folder, -1 without a group
    char path[PATH_MAX];
};

struct group_usage {
    bool has_cpu;
    int64_t user_ns;
    int64_t system_ns;
    bool has_peak; // memory controller of cgroup v2 (5.19 and later)
    uint64_t peak_bytes;
};

// group_find: finds where a group can be made as `wanted` says, makes it, and
// removes what meters that were killed have left there. False if the wanted
// kind cannot be had (never for auto and rusage); a message was printed.
bool group_find(struct group *group, enum accounting wanted);

// group_make: makes the group of a further run, if it is not there. Each run has
// a new one: page cache that one run leaves behind stays charged to its group,
// and would be in the peak of the next. False with errno.
bool group_make(struct group *group);

// group_enter: moves the calling process into the group (v1; v2's members are
// born in it). False with errno.
bool group_enter(const struct group *group);

// group_kill: kills every member at once where the kernel can (v2, 5.14).
void group_kill(const struct group *group);

// group_read: what the members, also those that ended, have used so far.
void group_read(const struct group *group, struct group_usage *usage);

// group_remove: to be called when no member is left alive; may be repeated.
void group_remove(struct group *group);

// group_give_up: removes it, and makes no further one.
void group_give_up(struct group *group);

#endif
