#include "harness/probe/reporter_kernel.h"

#include <time.h>

#define MOST_STRETCH 4

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int64_t kernel_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t kernel_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

double kernel_cpu_time_each(void (*chunk)(void *state), void *state, size_t operations,
                            int64_t window_ns)
{
    const int64_t wall_end_ns = kernel_wall_ns() + MOST_STRETCH * window_ns;
    const int64_t begin_ns = kernel_cpu_ns();
    int64_t used_ns;
    double done = 0;
    do {
        chunk(state);
        done += (double)operations;
        used_ns = kernel_cpu_ns() - begin_ns;
    } while (used_ns < window_ns && kernel_wall_ns() < wall_end_ns);
    return (double)used_ns / done;
}
