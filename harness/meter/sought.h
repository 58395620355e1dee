// A metric, and how it is found in a run.
#ifndef METER_SOUGHT_H
#define METER_SOUGHT_H

#include "tally.h"
#include "written_files.h"

#include "common/energy.h"
#include "common/metric.h"
#include "common/perf_event.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

// A metric, and how it is found in a run.
struct sought {
    struct metric metric;
    size_t only;          // the number of its target, or ANY_TARGET
    bool applies;         // it is of the target of the run
    struct figure figure; // of the last run
    // For a metric that is found in the output:
    struct tally tally;
    bool has_regex; // else it is jq's
    regex_t regex;
    struct files_before before; // of a file
    // For a metric that is counted:
    struct perf_ratio ratio;
    int fd[2];      // -1: not open
    bool user_only; // without the kernel's part, which we may not count
    double share;   // of the time in which the events were counted; 1 of what is no event
    struct energy energy;
};

#endif
