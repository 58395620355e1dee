// What the scheduler counts for a thread.
#ifndef COMMON_SCHEDSTAT_H
#define COMMON_SCHEDSTAT_H

#include <stdbool.h>
#include <stdint.h>

// What the scheduler counts for a thread since its fork (/proc/PID/schedstat).
struct schedstat {
    int64_t run_ns;   // on a CPU; of a thread that is running now, up to a tick ago
    int64_t delay_ns; // ready to run, and waiting for a CPU
};

// Of an open file. False where fd is -1, and where the kernel counts nothing (a build without
// SCHED_INFO).
bool schedstat_read(int fd, struct schedstat *schedstat);

#endif
