#ifndef METER_SUPERVISE_H
#define METER_SUPERVISE_H

#include "awake.h"
#include "group.h"
#include "launch.h"
#include "signals.h"
#include "stops.h"
#include "system.h"
#include "usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outcome {
    bool ended;                 // the main process; false only if it cannot be killed
    int status;                 // its wait status
    int64_t end_ns;             // CLOCK_MONOTONIC of its end, see ending.h
    struct system_totals after; // read when meter had seen it
    struct stall_totals stalls; // of the target, until its end
    struct stops stops;
    struct usage usage;
    bool timed_out;
    int64_t timed_out_ns; // how long it had run then, and was told to end
    int interrupted;      // the signal that ended the run from outside, 0: none
    size_t survivors;     // descendants that outlived the main process by 50 ms
    size_t unkillable;
};

// What one run is supervised by and with.
struct supervision {
    const struct launch *launch;
    const struct group *group;
    const struct signals *signals;
    const struct system_sources *sources;
    int own_fd;         // see awake.h
    int64_t timeout_ns; // after the target's start; 0: none
    int hangup_fd;      // a pipe: the run ends when its other end is closed; -1: none
};

// supervise: waits until the main process and all its descendants have ended,
// and sees to it that they do: at the time-out, when meter is interrupted, and
// after the main process. This process must be a subreaper without other
// children.
void supervise(struct outcome *outcome, const struct supervision *supervision);

#endif
