#ifndef METER_CLOCK_H
#define METER_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  INT64_C(1000000000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_US INT64_C(1000)

// clock_ns: nanoseconds of CLOCK_MONOTONIC, the clock of every duration here.
static inline int64_t clock_ns(void)
{
    struct timespec now;
    // Cannot fail: the clock exists on every Linux, and the pointer is valid.
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

// clock_cpu_ns: nanoseconds of CPU time that this process has used.
static inline int64_t clock_cpu_ns(void)
{
    struct timespec used;
    // Cannot fail either.
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (int64_t)used.tv_sec * NS_PER_S + used.tv_nsec;
}

#endif
