// Small helpers for files that meter keeps open.
#ifndef METER_OPEN_FILES_H
#define METER_OPEN_FILES_H

#include <sys/types.h>

// Closes it unless it is -1, which it is then.
void fd_close(int *fd);

// The schedstat of a process, 0: our own, to be read again and again. -1 with
// errno.
int schedstat_open(pid_t pid);

#endif
