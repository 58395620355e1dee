#ifndef COMMON_PERF_EVENT_H
#define COMMON_PERF_EVENT_H

// The events of a tree of processes that the kernel can count (perf_event_open(2)).

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The events that a record of a run has.
enum { PERF_EVENTS = 7 };

enum counter_set {
    COUNTERS_HARDWARE, // instructions, cycles, cache references and misses
    COUNTERS_SOFTWARE, // task clock, page faults, context switches
    COUNTERS_ALL,      // both, the hardware's first
    COUNTERS_NONE,
};

// How many events a set has; their names are perf_event_name(set, 0), ...
size_t perf_event_count(enum counter_set set);
const char *perf_event_name(enum counter_set set, size_t event);

// Opens a counter of the calling process, at rest: a process that is forked afterwards counts
// from its exec on, with its descendants. user_only: without the kernel's part. -1 with errno:
// EACCES or EPERM where we may not, anything else where there is no such counter.
int perf_event_open(enum counter_set set, size_t event, bool user_only);

// Whether an event of that name can be counted here at all; false with errno.
bool perf_event_counts(const char *name);

// What a counter has come to, once what it counted has ended: *value is for the whole time, *share
// the part of it that was counted, 0 where there was no room for it. False: it was never enabled.
bool perf_event_read(int fd, uint64_t *value, double *share);

// EVENT[/EVENT], as perf names them: cycles, LLC-load-misses, context-switches, r1a8,
// cpu/event=0x3c,umask=0/, sched:sched_switch, each with :u or :k behind it for the user's or the
// kernel's part alone. The second one is what the first is counted by.
struct perf_ratio {
    struct perf_event_attr event[2];
    size_t count; // 1 or 2
};

// Reads it; PMUs, their events and tracepoints are those of this machine (below JOSTLE_KERNEL_ROOT
// where that is set). False with what is wrong, and what to do, in error.
bool perf_ratio_read(struct perf_ratio *ratio, const char *text, char *error, size_t size);

// Opens its events as a group, which is counted together or not at all, like perf_event_open();
// *user_only is set where we may not count the kernel's part. fd[i] is -1 of those that are not
// there. False with errno.
bool perf_ratio_open(const struct perf_ratio *ratio, int fd[2], bool *user_only);

#endif
