#ifndef COMMON_MOUNT_H
#define COMMON_MOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// Which mount a file or folder is on, from /proc/self/mountinfo (proc(5)) and statfs(2).

#define MOUNT_UNKNOWN "unknown" // type of what cannot be found out

struct mount {
    char type[32];         // "ext4", "tmpfs"; MOUNT_UNKNOWN
    char source[PATH_MAX]; // "/dev/vda1", "server:/export"; "" unknown
    char upper[PATH_MAX];  // overlay's upperdir, "" if none
};

// What is known of a path.
struct mount_query {
    bool has_id; // the kernel says which mount it is (statx, Linux 5.8)
    uint64_t id;
    dev_t device;     // st_dev
    const char *path; // absolute, without links
    long magic;       // f_type of statfs(2); 0: not known
};

// Looks it up in the lines of mountinfo. By its id; where there is none, the innermost
// mount that the path is below and that has its device number, the topmost one of
// several at one place. Some file systems (btrfs) give their files numbers of their own:
// then the innermost mount, if statfs agrees that it is of that type. What mountinfo does
// not have is named by statfs alone. mountinfo NULL: it cannot be read. False, and
// MOUNT_UNKNOWN: nobody knows it.
bool mount_find(FILE *mountinfo, const struct mount_query *query, struct mount *mount);

// Of a path on this machine. False, and MOUNT_UNKNOWN: it cannot be found out.
bool mount_of(const char *path, struct mount *mount);

#endif
