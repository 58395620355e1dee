// Where the output of a run is kept or shown.
#ifndef METER_KEPT_OUTPUT_H
#define METER_KEPT_OUTPUT_H

#include "command_line.h"
#include "launch.h"

enum { KEPT_PATH_SIZE = 64 };

// Where the output of a failed run was put, relative to --keep's folder; "": nothing was
// written there, or it could not be kept.
struct kept_paths {
    char out[KEPT_PATH_SIZE];
    char errors[KEPT_PATH_SIZE];
};

// Keeps the output of a run that has failed, before its record is written: who reads that may
// then go and see. That something is lost is said, and is no failure of the run.
void keep_failed(const struct launch *launch, const struct command_line *asked,
                 struct kept_paths *paths);

// Keeps that of the last run, as target.stdout and target.stderr.
void keep_last(const struct launch *launch, const struct command_line *asked);

// Passes on what was captured, with --show-output.
void keep_show(const struct launch *launch, const struct command_line *asked);

#endif
