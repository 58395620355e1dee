#ifndef COMMON_PERF_EVENT_H
#define COMMON_PERF_EVENT_H

/* The events of a tree of processes that the kernel can count (perf_event_open(2)). */

#include <stdbool.h>
#include <stddef.h>

enum { PERF_EVENTS = 7 };

enum counter_set {
    COUNTERS_HARDWARE, /* instructions, cycles, cache references and misses */
    COUNTERS_SOFTWARE, /* task clock, page faults, context switches */
    COUNTERS_ALL,      /* both, the hardware's first */
    COUNTERS_NONE,
};

/* How many events a set has; their names are perf_event_name(set, 0), ... */
size_t perf_event_count(enum counter_set set);
const char *perf_event_name(enum counter_set set, size_t event);

/* Opens a counter of the calling process, at rest: a process that is forked afterwards counts
 * from its exec on, with its descendants. user_only: without the kernel's part. -1 with errno:
 * EACCES or EPERM where we may not, anything else where there is no such counter. */
int perf_event_open(enum counter_set set, size_t event, bool user_only);

/* Whether an event of that name can be counted here at all; false with errno. */
bool perf_event_counts(const char *name);

#endif
