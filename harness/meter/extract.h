// The metrics that are found in what the target wrote: after it has ended, so that nothing
// of it is in any figure of the run. And those that were counted meanwhile.
#ifndef METER_EXTRACT_H
#define METER_EXTRACT_H

#include "command_line.h"
#include "sought.h"

#include <stdbool.h>
#include <stddef.h>

struct extractor {
    struct sought *sought;
    size_t count;
    bool reads;                // some are found in the output
    const char *folder;        // where the target runs, and paths are relative to; NULL: ours
    char **words;              // of the target
    struct sought **of_source; // room for the metrics of one process of jq, and their expressions
    const char **expression;
};

// What a run wrote, to be read from its start; -1: not to be had.
struct extract_from {
    int out_fd;
    int error_fd;
};

// Gets ready for the metrics that are asked for. False after a message.
bool extract_begin(struct extractor *extractor, const struct command_line *asked);

// To be called right before a run of that target: what was in the files
// already is not of this run.
void extract_before(struct extractor *extractor, const struct target *target);

// To be called right before the target is started, and extract_stop once the tree
// has ended.
void extract_start(struct extractor *extractor);
void extract_stop(struct extractor *extractor);

// Finds all that apply to the target, into extractor->figure. jq runs as a process for
// each source that has its metrics; no child of meter is left.
void extract(struct extractor *extractor, const struct extract_from *from);

// The index of the first metric that was not found; count: none. Only a
// result has to be: a client may say nothing of errors where there were none.
size_t extract_failure(const struct extractor *extractor);

// Each result has been found, and is not 0 either, of which no ratio
// could be made.
bool extract_is_sound(const struct extractor *extractor);

void extract_end(struct extractor *extractor);

#endif
