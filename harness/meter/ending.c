// Finds when a process ended, from when meter saw it and what meter itself waited for a CPU.
#include "ending.h"

#include "stalls.h"

#include "common/clock.h"
#include "common/schedstat.h"

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

// Between the two it went to sleep once, and did not leave a CPU otherwise:
// all that it waited was after it had been woken.
static bool awake_only_slept(const struct awake *from, const struct awake *to)
{
    return to->sleeps == from->sleeps + 1 && to->preemptions == from->preemptions;
}

// For how long meter waited for a CPU between the two; 0: not known.
static int64_t awake_waited_ns(const struct awake *from, const struct awake *to)
{
    return from->known && to->known ? to->waited_ns - from->waited_ns : 0;
}

// The earliest moment at which the process can have ended.
static int64_t least_ns(int64_t start_ns, const struct stall_totals *at_start,
                        const struct stall_totals *at_end)
{
    if (!at_start->has_delay || !at_end->has_delay)
        return start_ns;
    return start_ns + (at_end->run_ns - at_start->run_ns) + (at_end->delay_ns - at_start->delay_ns);
}

int64_t ending_ns(const struct awake *alive, const struct awake *seen, int64_t start_ns,
                  const struct stall_totals *at_start, const struct stall_totals *at_end)
{
    const int64_t least = least_ns(start_ns, at_start, at_end);
    const bool slept = seen->sleeps > alive->sleeps;
    const bool unknown = slept && !awake_only_slept(alive, seen);
    int64_t end_ns = seen->at_ns - (unknown ? 0 : awake_waited_ns(alive, seen));
    if (end_ns < least)
        end_ns = least;
    if (end_ns > seen->at_ns)
        end_ns = seen->at_ns;
    // One that a signal ends at its very start may have noted that later than we were woken.
    return end_ns > start_ns ? end_ns : start_ns;
}
