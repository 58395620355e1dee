#ifndef LOADGEN_IO_SPACE_H
#define LOADGEN_IO_SPACE_H

/* How large a file may be made in a folder. */

#include <stdbool.h>
#include <stdint.h>

struct io_space {
    double free_bytes; /* of the file system, or what a quota leaves, whichever is less */
    double kept_bytes; /* of these, for others: 5 % of the whole, 1 GiB and no more */
    const char *whose; /* what sets free_bytes: "the file system", "your quota", ... */
};

/* Of the user and group of this process, by statvfs(2), quotactl_fd(2) and getrlimit(2);
 * quotas where the kernel answers (Linux 5.14, a local file system). False: errno says why. */
bool io_space_of(const char *folder, struct io_space *space);

#endif
