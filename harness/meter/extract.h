// The metrics that are found in what the target wrote: after it has ended, so that nothing
// of it is in any figure of the run. And those that were counted meanwhile (gauge.h).
#ifndef METER_EXTRACT_H
#define METER_EXTRACT_H

#include "gauge.h"
#include "settings.h"
#include "tally.h"

#include "common/metric.h"

#include <glob.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

// What was there before a run.
struct files_before {
    struct stat *status;
    size_t count;
    bool unknown; // no memory to know it
};

struct extractor {
    const struct metric *metric; // settings.h
    const size_t *only;          // settings.h
    bool *applies;               // whether a metric is of the target of the run
    size_t count;
    bool reads;                  // some are found in the output
    regex_t *regex;              // of those that are no jq
    struct files_before *before; // of those of a file
    struct gauge *gauge;         // of those that are counted
    const char *folder;          // where the target runs, and paths are relative to; NULL: ours
    struct figure *figure;       // of the last run
};

// What a run wrote, to be read from its start; -1: not to be had.
struct extract_from {
    int out_fd;
    int error_fd;
};

// extract_begin: gets ready for the metrics of the settings. False after a message.
bool extract_begin(struct extractor *extractor, const struct settings *settings);

// extract_before: to be called right before a run of that target: what was in the files
// already is not of this run.
void extract_before(struct extractor *extractor, const struct target *target);

// extract_start: to be called right before the target is started, and extract_stop once the tree
// has ended.
void extract_start(struct extractor *extractor);
void extract_stop(struct extractor *extractor);

// extract: finds all that apply to the target, into extractor->figure. jq runs as a process for
// each source that has its metrics; no child of meter is left.
void extract(struct extractor *extractor, const struct extract_from *from);

// extract_failure: the index of the first metric that was not found; count: none. Only a
// result has to be: a client may say nothing of errors where there were none.
size_t extract_failure(const struct extractor *extractor);

// extract_is_sound: each result has been found, and is not 0 either, of which no ratio
// could be made.
bool extract_is_sound(const struct extractor *extractor);

void extract_end(struct extractor *extractor);

#endif
