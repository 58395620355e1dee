// What both kinds of a recording share: that of the machine, and that of a neighbour.
#ifndef LOADGEN_RECORD_RECORD_H
#define LOADGEN_RECORD_RECORD_H

#include "load.h"

enum record_counters { RECORD_COUNTERS_AUTO, RECORD_COUNTERS_NONE };

struct record_settings {
    int64_t duration_ns; // 0: until a signal comes
    int64_t interval_ns; // of a span
    int64_t wakeup_ns;   // 0: none
    uint64_t pid;        // 0: not a process
    const char *cgroup;  // NULL: not a group
    const char *job;     // NULL: not a job of Slurm
    int counters;        // enum record_counters
};

// ---- writing.c ----

// From now on the signals that end a program end the recording in good order.
void record_end_by_signals(void);
// Sleeps until then; false when a signal has ended the recording.
bool record_sleep_to(int64_t time_ns);
// Writes a whole line, and frees it. 0, or -1 with errno.
int record_line(FILE *file, struct line *line);
// Adds what the header of both begins with.
void record_begin_header(struct line *line, const char *schema, unsigned cores,
                         int64_t interval_ns);

// ---- neighbour.c ----

struct neighbour;

// Finds what is to be recorded. NULL after a message.
struct neighbour *neighbour_open(const struct record_settings *set);
// Records it until it ends, a signal comes or the duration is over. 0, or -1 with errno; *spans
// is how many were written.
int neighbour_record(struct run *run, struct neighbour *neighbour, FILE *file, unsigned *spans);
void neighbour_close(struct neighbour *neighbour);

#endif
