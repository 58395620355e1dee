#ifndef METER_SCHEDSTAT_H
#define METER_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// What the scheduler counts for a process's main thread, in nanoseconds and since its
// fork (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst).
struct schedstat {
    int64_t run_ns;   // on a CPU; of a thread that is running now, up to a tick ago
    int64_t delay_ns; // ready to run, and waiting for a CPU
};

// schedstat_open: the file of a process, 0: our own, to be read again and again. -1 with
// errno.
int schedstat_open(pid_t pid);

// schedstat_read: the totals of now; false where fd is -1, and where the kernel counts
// nothing (a build without SCHED_INFO).
bool schedstat_read(int fd, struct schedstat *schedstat);

// schedstat_of: the same for one reading; also of a process that has ended and has not
// been reaped.
bool schedstat_of(pid_t pid, struct schedstat *schedstat);

#endif
