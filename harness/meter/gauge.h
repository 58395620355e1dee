// What is counted of a run, rather than found in its output: events of the kernel, and energy.
#ifndef METER_GAUGE_H
#define METER_GAUGE_H

#include "tally.h"

#include "common/machine.h"
#include "common/metric.h"
#include "common/perf_event.h"

#include <stdbool.h>

// A multiplexed counter has to have counted for so much of the time: what it says of the rest is a
// guess.
#define GAUGE_SHARE 0.9

struct gauge {
    const struct metric *metric;
    struct perf_ratio ratio;
    int fd[2];      // -1: not open
    bool user_only; // without the kernel's part, which we may not count
    double share;   // of the time in which the events were counted; 1 of what is no event
    struct energy before;
    struct figure figure; // as long as its reason is "", what was counted
};

// gauge_begin: gets ready for a metric. False after a message: there is no such event here.
bool gauge_begin(struct gauge *gauge, const struct metric *metric);

// gauge_open: opens the events in the calling process, at rest: a process that is forked afterwards
// counts from its exec on, with its descendants.
void gauge_open(struct gauge *gauge);

// gauge_start: to be called right before the target is started.
void gauge_start(struct gauge *gauge);

// gauge_stop: to be called once the tree has ended. Closes what is open, and sets figure.
void gauge_stop(struct gauge *gauge);

#endif
