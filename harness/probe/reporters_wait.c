/* Waiting for a CPU: what a spin loses to others. */

#include "harness/probe/reporter_kernel.h"

#include <math.h>

static void *open_nothing(const struct kernel_setting *setting, char *reason, size_t size)
{
    static const char nothing = 0;
    (void)setting, (void)reason, (void)size;
    return (void *)&nothing;
}

static void close_nothing(void *state)
{
    (void)state;
}

/* Wall time for each second of CPU time: 1 where nobody else wants the CPU, 2 where half of it
 * is taken. */
static double window_gap(void *state, int64_t window_ns)
{
    const int64_t begin_ns = kernel_wall_ns(), cpu_begin_ns = kernel_cpu_ns();
    int64_t now_ns;
    (void)state;
    do {
        now_ns = kernel_wall_ns();
    } while (now_ns - begin_ns < window_ns);
    const int64_t cpu_ns = kernel_cpu_ns() - cpu_begin_ns;
    return cpu_ns <= 0 ? NAN : (double)(kernel_wall_ns() - begin_ns) / (double)cpu_ns;
}

const struct reporter_kernel kernel_gap = {open_nothing, window_gap, close_nothing};
