#ifndef METER_AWAKE_H
#define METER_AWAKE_H

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

// awake_now: of this moment. own_fd: schedstat_open(0), or -1.
struct awake awake_now(int own_fd);

// awake_only_slept: between the two it went to sleep once, and did not leave a CPU otherwise:
// all that it waited was after it had been woken.
bool awake_only_slept(const struct awake *from, const struct awake *to);

// awake_waited_ns: for how long meter waited for a CPU between the two; 0: not known.
int64_t awake_waited_ns(const struct awake *from, const struct awake *to);

#endif
