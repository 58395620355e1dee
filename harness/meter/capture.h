// What the target writes to its stderr, or more to its stdout than drain.h has memory for,
// where that is of use once it has ended: a file without a name on this node's own disk
// ($TMPDIR, else /tmp), of which only the end is kept.
//
// Not the file where it is to be kept: that may be on a shared file system, whose server
// would be part of what is measured. Not memory: a target that writes without end
// would take it from itself and its neighbours.
#ifndef METER_CAPTURE_H
#define METER_CAPTURE_H

#include <stdbool.h>

// How much of a stream is kept: its end.
#define CAPTURE_KEPT_BYTES (1 << 20)

// capture_open: makes the file, empty, for appending; on a descriptor above 2 that no exec
// hands on. -1 with errno.
int capture_open(void);

// capture_empty: forgets what an earlier run wrote. False with errno.
bool capture_empty(int fd);

// capture_has_any: whether anything was written.
bool capture_has_any(int fd);

// capture_keep: writes the end of it to the file at path, which is made or replaced. False
// with errno.
bool capture_keep(int fd, const char *path);

// capture_show: writes all of it to the descriptor `to`. False with errno.
bool capture_show(int fd, int to);

#endif
