// One run: what it is supervised by and with, and what came of it.
#ifndef METER_RUN_H
#define METER_RUN_H

#include "accounting.h"
#include "extract.h"
#include "kept_output.h"
#include "launch.h"
#include "perf_counters.h"
#include "signals.h"
#include "stalls.h"
#include "stops.h"

#include "common/counters.h"
#include "common/cpus.h"
#include "common/group.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outcome {
    bool ended;                 // the main process; false only if it cannot be killed
    int status;                 // its wait status
    int64_t end_ns;             // CLOCK_MONOTONIC of its end, see ending_ns()
    struct counters after;      // read when meter had seen it
    struct stall_totals stalls; // of the target, until its end
    struct cpu_list cpus;       // that its main process was bound to at its end; none: not known
    struct stops stops;
    struct usage usage;
    bool timed_out;
    int64_t timed_out_ns; // how long it had run then, and was told to end
    int interrupted;      // the signal that ended the run from outside, 0: none
    size_t survivors;     // descendants that outlived the main process by 50 ms
    size_t unkillable;
};

// One run: what it is supervised by and with, and what came of it.
struct run {
    const struct launch *launch;
    const struct group *group;
    const struct signals *signals;
    const struct counter_files *kernel;
    const struct extractor *extractor;
    int own_fd;         // see awake_now()
    int64_t timeout_ns; // after the target's start; 0: none
    int hangup_fd;      // a pipe: the run ends when its other end is closed; -1: none
    // How many processes of the target's group were killed for want of memory before the run, and
    // after it; UNKNOWN: that is not counted.
    int64_t kills_before, kills_after;
    struct counters before;
    struct perf_counters counters;
    struct outcome outcome;
    struct group_usage group_usage;
    struct kept_paths kept;
};

#endif
