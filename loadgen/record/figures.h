// The columns of a recorded neighbour: what a span and the summary have, each where it is known.
#ifndef LOADGEN_RECORD_FIGURES_H
#define LOADGEN_RECORD_FIGURES_H

#include "control_group.h"
#include "events.h"
#include "tree.h"

#include "common/json.h"

enum figure {
    FIGURE_CPU,
    FIGURE_CPU_WAIT,
    FIGURE_RUNNABLE,
    FIGURE_BLOCKED,
    FIGURE_THROTTLED,
    FIGURE_READS,
    FIGURE_WRITES,
    FIGURE_READ_BYTES,
    FIGURE_WRITE_BYTES,
    FIGURE_DISK_READS,
    FIGURE_DISK_WRITES,
    FIGURE_DISK_READ_BYTES,
    FIGURE_DISK_WRITE_BYTES,
    FIGURE_SYNCS,
    FIGURE_RECEIVED_BYTES,
    FIGURE_SENT_BYTES,
    FIGURE_RECEIVED_PACKETS,
    FIGURE_SENT_PACKETS,
    FIGURE_SWITCHES,
    FIGURE_VOLUNTARY,
    FIGURE_INVOLUNTARY,
    FIGURE_MINOR,
    FIGURE_MAJOR,
    FIGURE_FORKS,
    FIGURE_CYCLES,
    FIGURE_INSTRUCTIONS,
    FIGURE_CACHE_MISSES,
    FIGURE_MEMORY_TRAFFIC,
    FIGURE_CPU_PRESSURE,
    FIGURE_IO_PRESSURE,
    FIGURE_MEMORY_PRESSURE,
    FIGURE_GROWTH,
    FIGURES_COUNTED, // those above are what a count grows by in a second; below: values of a moment
    FIGURE_PROCESSES = FIGURES_COUNTED,
    FIGURE_THREADS,
    FIGURE_RESIDENT,
    FIGURE_PRIVATE,
    FIGURE_SHARED,
    FIGURE_MEMORY,
    FIGURES,
};

// Where they come from.
struct sources {
    struct tree tree;
    struct control_group group;
    bool has_group;
    struct group_counts counts; // as of the last look
    struct events events;
    pid_t network; // the process whose network namespace is recorded; 0: none
};

// What has been counted up to the last look, and the values of that moment; NAN: not known.
void figures_take(struct sources *sources, double now[FIGURES]);
// What there was of each in a time of so many seconds between two of these.
void figures_between(const double before[FIGURES], const double after[FIGURES], double seconds,
                     double span[FIGURES]);
// Adds them as members of the object that is open; what is not known is left out.
void figures_put(struct line *line, const double values[FIGURES]);

#endif
