/* Waiting for a CPU: how late a sleeper wakes, and what a spin loses to others. */

#include "harness/probe/reporter_kernel.h"

#include <math.h>
#include <sys/prctl.h>
#include <time.h>

#define SLEEP_NS 50000

/* The kernel adds 50 us of slack to each sleep by default, which would be all that is seen. */
static void *open_wake(const struct kernel_setting *setting, char *reason, size_t size)
{
    static const char nothing = 0;
    (void)setting, (void)reason, (void)size;
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    return (void *)&nothing;
}

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

/* Of sleeps that were short and few that a busy CPU made long, the geometric mean. */
static double window_wake(void *state, int64_t window_ns)
{
    const struct timespec request = {.tv_nsec = SLEEP_NS};
    const int64_t end_ns = kernel_wall_ns() + window_ns;
    int64_t before_ns = kernel_wall_ns(), after_ns;
    double sum = 0;
    size_t count = 0;
    (void)state;
    do {
        if (clock_nanosleep(CLOCK_MONOTONIC, 0, &request, NULL) != 0)
            return NAN;
        after_ns = kernel_wall_ns();
        const double late_ns = (double)(after_ns - before_ns - SLEEP_NS);
        sum += log(fmax(late_ns, 1));
        count++;
        before_ns = after_ns;
    } while (after_ns < end_ns);
    return exp(sum / (double)count);
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

const struct reporter_kernel kernel_wake = {open_wake, window_wake, close_nothing};
const struct reporter_kernel kernel_gap = {open_nothing, window_gap, close_nothing};
