// Events of the whole tree of processes, counted by the kernel.
#ifndef METER_PERF_COUNTERS_H
#define METER_PERF_COUNTERS_H

#include "common/perf_event.h"

#include <stdbool.h>
#include <stdint.h>

// Events of the whole tree of processes, counted by the kernel from the target's
// exec to the end of its last descendant (perf_event_open(2)).
enum { COUNTERS_MAX = PERF_EVENTS };

struct counter {
    const char *name; // NULL: no such counter in the set
    int fd;           // -1: absent
    bool known;       // value holds
    uint64_t value;
};

struct perf_counters {
    struct counter counter[COUNTERS_MAX];
    bool user_only;   // the kernel's part is kept from us, in all of them
    uint32_t refused; // a bit of each that the kernel does not give us
    double running;   // the least share of the time that one was counted in, 1 if always
};

// Makes the counters in the calling process, at rest; a process
// that is forked afterwards counts from its exec on, with its descendants.
// What the machine or its rules refuse is absent, which is no error. refused: those that an earlier
// run was refused, and that are not tried again.
void perf_counters_open(struct perf_counters *counters, enum counter_set set, uint32_t refused);

// Takes the values, to be called once the tree has ended.
void perf_counters_read(struct perf_counters *counters);

// To be called after the record is written: it takes the kernel
// longer than to read them.
void perf_counters_close(struct perf_counters *counters);

#endif
