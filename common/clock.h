#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

// Nanoseconds of a clock that cannot fail: it exists on every Linux.
static inline int64_t clock_of(clockid_t clock)
{
    struct timespec now = {0};
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

// Nanoseconds of CLOCK_MONOTONIC, the clock of every duration here.
static inline int64_t clock_ns(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

// Nanoseconds of CPU time that this process has used.
static inline int64_t clock_cpu_ns(void)
{
    return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

// Nanoseconds of a CPU time as the kernel gives that of processes.
static inline int64_t timeval_ns(struct timeval time)
{
    return (int64_t)time.tv_sec * NS_PER_S + (int64_t)time.tv_usec * NS_PER_US;
}

#endif
