#include "awake.h"

#include "clock.h"
#include "schedstat.h"

#include <sys/resource.h>

// The clock and the counter are of one moment when both were read within this.
#define MOMENT_NS (20 * NS_PER_US)
#define ATTEMPTS  5

static void count_switches(struct awake *awake)
{
    struct rusage own;
    if (getrusage(RUSAGE_THREAD, &own) != 0)
        return;
    awake->sleeps = own.ru_nvcsw;
    awake->preemptions = own.ru_nivcsw;
}

struct awake awake_now(int own_fd)
{
    struct awake awake = {.at_ns = clock_ns()};
    count_switches(&awake);
    for (int attempt = 1;; attempt++) {
        struct schedstat own;
        awake.known = schedstat_read(own_fd, &own);
        if (!awake.known)
            return awake;
        awake.waited_ns = own.delay_ns;
        const int64_t then_ns = clock_ns();
        // Interrupted in between: a wait after the clock was read may be in the counter.
        if (then_ns - awake.at_ns < MOMENT_NS || attempt == ATTEMPTS)
            return awake;
        awake.at_ns = then_ns;
    }
}

bool awake_only_slept(const struct awake *from, const struct awake *to)
{
    return to->sleeps == from->sleeps + 1 && to->preemptions == from->preemptions;
}

int64_t awake_waited_ns(const struct awake *from, const struct awake *to)
{
    return from->known && to->known ? to->waited_ns - from->waited_ns : 0;
}
