#include "ending.h"

// least_ns: the process cannot have ended before.
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
