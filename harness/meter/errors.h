// What the target writes to its stderr: a file without a name on this node's own disk
// ($TMPDIR, else /tmp), of which only the end is kept, and only where a run failed.
//
// Not the file where it is to be kept: that may be on a shared file system, whose server
// would be part of what is measured. Not a pipe: its reader would have to run at the same
// time, or the target wait for it. Not memory: a target that writes without end
// would take it from itself and its neighbours.
#ifndef METER_ERRORS_H
#define METER_ERRORS_H

#include <stdbool.h>

// errors_open: makes the file, empty, for appending; on a descriptor above 2 that no exec
// hands on. -1 with errno.
int errors_open(void);

// errors_empty: forgets what an earlier run wrote. False with errno.
bool errors_empty(int fd);

// errors_keep: writes the end of it, 64 KiB at most, to the file at path, which is made or
// replaced. False with errno.
bool errors_keep(int fd, const char *path);

#endif
