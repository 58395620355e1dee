// What the target writes to its stderr, or more to its stdout than a drain has memory for,
// where that is of use once it has ended: a file without a name on this node's own disk
// ($TMPDIR, else /tmp), of which only the end is kept.
//
// Not the file where it is to be kept: that may be on a shared file system, whose server
// would be part of what is measured. Not memory: a target that writes without end
// would take it from itself and its neighbours.
#ifndef METER_CAPTURE_H
#define METER_CAPTURE_H

#include <stdbool.h>
#include <sys/types.h>

// How much of a stream is kept: its end.
#define CAPTURE_KEPT_BYTES (1 << 20)

// What a pipe holds, so that one read empties it.
#define CAPTURE_PART_BYTES 65536

// Makes the file, empty, for appending; on a descriptor above 2 that no exec
// hands on. -1 with errno.
int capture_open(void);

// Forgets what an earlier run wrote. False with errno.
bool capture_empty(int fd);

// Whether it has room for as much again, up to 64 KiB: else what the target wrote may have been cut
// off. False with errno.
bool capture_takes(int fd);

// Writes the end of it to the file at path, which is made or replaced. False
// with errno.
bool capture_keep(int fd, const char *path);

// Writes what is behind the offset `at` to `to`. False with errno.
bool capture_copy(int fd, off_t at, int to);

#endif
