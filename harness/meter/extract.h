#ifndef METER_EXTRACT_H
#define METER_EXTRACT_H

#include "search.h"
#include "settings.h"

#include "common/machine.h"
#include "common/perf_event.h"

#include <sys/stat.h>

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
    bool user_only; // the kernel's part is kept from us, in all of them
    double running; // the least share of the time that one was counted in, 1 if always
};

// perf_counters_open: makes the counters in the calling process, at rest; a process
// that is forked afterwards counts from its exec on, with its descendants.
// What the machine or its rules refuse is absent, which is no error.
void perf_counters_open(struct perf_counters *counters, enum counter_set set);

// perf_counters_read: takes the values, to be called once the tree has ended.
void perf_counters_read(struct perf_counters *counters);

// perf_counters_close: to be called after the record is written: it takes the kernel
// longer than to read them.
void perf_counters_close(struct perf_counters *counters);

// What is counted of a run, rather than found in its output: events of the kernel, and energy.

// A multiplexed counter has to have counted for so much of the time: what it says of the rest is a
// guess.
#define GAUGE_SHARE 0.9

struct gauge {
    const struct metric *metric;
    struct perf_ratio ratio;
    int fd[2];      // -1: not open
    bool user_only; // without the kernel's part, which we may not count
    double share;   // of the time in which the events were counted; 1 of what is no event
    struct energy before;
    struct figure figure; // as long as its reason is "", what was counted
};

// gauge_begin: gets ready for a metric. False after a message: there is no such event here.
bool gauge_begin(struct gauge *gauge, const struct metric *metric);

// gauge_open: opens the events in the calling process, at rest: a process that is forked afterwards
// counts from its exec on, with its descendants.
void gauge_open(struct gauge *gauge);

// gauge_start: to be called right before the target is started.
void gauge_start(struct gauge *gauge);

// gauge_stop: to be called once the tree has ended. Closes what is open, and sets figure.
void gauge_stop(struct gauge *gauge);

// The metrics that are found in what the target wrote: after it has ended, so that nothing
// of it is in any figure of the run. And those that were counted meanwhile.

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
