// When a process ended, by a parent that had to wait for a CPU before it could see that.
#ifndef METER_ENDING_H
#define METER_ENDING_H

#include "stalls.h"

#include <stdbool.h>
#include <stdint.h>

// A moment in which meter ran, and how long it had waited for a CPU in its life until
// then, in nanoseconds. Between two of them the difference of waited_ns is what meter's own
// waiting put between an event and its being noticed.
struct awake {
    int64_t at_ns; // CLOCK_MONOTONIC
    bool known;    // the kernel counts run delays
    int64_t waited_ns;
    int64_t sleeps, preemptions; // how often it left a CPU of its own will, or not
};

// This moment. own_fd: schedstat_open(0), or -1.
struct awake awake_now(int own_fd);

// When a process ended, by a parent that had to wait for a CPU before it could see that.
//
// The kernel does not say when a process ended (taskstats and the proc connector would, to
// root alone; perf's exit events need a ring buffer a run). The parent is woken at that
// moment, and the scheduler counts, to the nanosecond, for how long the parent then waits
// until it runs: end = when it ran - what it waited since it last saw the process alive.
// What is left in it is the wake-up of an idle CPU, some 10 us.
//
// The parent sees it alive right before it sleeps, and the target starts only then
// (launch_watched()). Where the parent slept once and was not preempted, all that it waited
// was after the end. Where it was preempted, too, nobody knows which part was: nothing is
// taken off, for it may be most of the run. Where it did not sleep at all, the process ended
// while it waited; then the end is not put before what the process itself has used up: its
// start + CPU time + run delay of its main thread. In any case the error is at most the
// parent's waiting.

// The CLOCK_MONOTONIC of the end. alive: when the process had not ended yet; seen:
// when it had; its totals at start_ns, and at the end.
int64_t ending_ns(const struct awake *alive, const struct awake *seen, int64_t start_ns,
                  const struct stall_totals *at_start, const struct stall_totals *at_end);

#endif
