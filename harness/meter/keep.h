// What is kept of what the target wrote, and shown of it: see capture.h.
#ifndef METER_KEEP_H
#define METER_KEEP_H

#include "launch.h"
#include "settings.h"

#include <stdbool.h>
#include <time.h>

enum { KEPT_PATH_SIZE = 64 };

// Where the output of a failed run was put, relative to --keep's folder; "": nothing was
// written there, or it could not be kept.
struct kept_paths {
    char out[KEPT_PATH_SIZE];
    char errors[KEPT_PATH_SIZE];
};

// keep_failed: of a run that has failed, before its record is written: who reads that may
// then go and see. That something is lost is said, and is no failure of the run.
void keep_failed(const struct launch *launch, const struct settings *settings,
                 struct kept_paths *paths);

// keep_last: of the last run, as target.stdout and target.stderr.
void keep_last(const struct launch *launch, const struct settings *settings);

// keep_show: passes on what was captured, with --show-output.
void keep_show(const struct launch *launch, const struct settings *settings);

#endif
