#ifndef METER_SUPERVISE_H
#define METER_SUPERVISE_H

#include "group.h"
#include "launch.h"
#include "signals.h"
#include "system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

// What the tree has used: sums over its processes, but the peak memory, which
// is that of the largest one.
struct usage {
    enum accounting accounting; // where the CPU time comes from
    int64_t user_ns;
    int64_t system_ns;
    uint64_t max_rss_bytes;
    uint64_t major_faults;
    uint64_t minor_faults;
    uint64_t voluntary_switches;
    uint64_t involuntary_switches;
    uint64_t blocks_in;  // of 512 bytes
    uint64_t blocks_out; // of 512 bytes
};

struct stops {
    size_t count;
    int64_t total_ns;
    bool total_known; // not where meter was stopped with it: nobody was there to see
    int64_t since_ns; // it is stopped, 0: it is not
    int terminal;     // SIGTTIN, SIGTTOU: the terminal stopped it, 0: none did
};

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

// usage_choose: takes the CPU time from the group where it saw no less than was
// summed up; a member that moved to another group makes the sum the better one. Then
// without what the target's process used before it became the target, which both have:
// launch_ns in all, and launch_group_ns of it as a member of the group.
void usage_choose(struct usage *usage, enum accounting kind, const struct group_usage *group,
                  int64_t launch_ns, int64_t launch_group_ns);

#endif
