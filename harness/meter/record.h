#ifndef METER_RECORD_H
#define METER_RECORD_H

#include "counters.h"
#include "extract.h"
#include "keep.h"
#include "launch.h"
#include "supervise.h"
#include "system.h"

#include <stdbool.h>

// A run as it is written: see results/schema/jostle.meter.schema.json.
struct record {
    const struct launch_report *report;
    const struct outcome *outcome;
    const struct system_sources *sources;
    const struct system_totals *before;
    const struct group_usage *group;
    int64_t own_ns; // CPU time of meter's own, while the target ran
    const struct perf_counters *counters;
    const struct extractor *extractor;
    const struct kept_paths *kept;
};

// record_write: writes the record as one JSON line to fd. False with errno.
bool record_write(const struct record *record, int fd);

#endif
