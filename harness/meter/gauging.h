#ifndef METER_GAUGING_H
#define METER_GAUGING_H

#include "common/cpus.h"
#include "common/gauge.h"
#include "settings.h"

#include <stdbool.h>
#include <stdint.h>

// The gauges of --gauge. Zeros: there are none.
struct gauging {
    struct gauge gauge;
    struct cpu_list own, target; // meter's own affinity; that of the target
    bool pinned;                 // the target has CPUs of its own
    struct gauge_reading last;
    int64_t last_ns; // when that was taken; 0: a run was made since, or none was taken
};

// gauging_begin: gets ready, with --gauge; the memory is taken with the first gauge, as there may
// be none. False after a message.
bool gauging_begin(struct gauging *gauging, const struct settings *settings);

// gauging_write: writes the state of the target's CPUs as one JSON line to fd. One that was
// taken right before, with no run in between, is written again: the gauge after a run is that
// before the next. Meter's own affinity is as before. False after a message.
bool gauging_write(struct gauging *gauging, int fd);

// gauging_forget: a run is made: the last gauge is not of what comes after it.
void gauging_forget(struct gauging *gauging);

void gauging_end(struct gauging *gauging);

#endif
