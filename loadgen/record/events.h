// Events of a neighbour that the kernel counts on demand, also of its short-lived children.
#ifndef LOADGEN_RECORD_EVENTS_H
#define LOADGEN_RECORD_EVENTS_H

#include <stddef.h>
#include <sys/types.h>

enum event {
    EVENT_CPU_NS,
    EVENT_SWITCHES,
    EVENT_FORKS, // new processes and threads
    EVENT_FSYNC,
    EVENT_FDATASYNC,
    EVENT_CYCLES,
    EVENT_INSTRUCTIONS,
    EVENT_CACHE_MISSES,
    EVENTS,
};

enum { EVENTS_THREADS_MOST = 256 }; // of which each takes a descriptor for each event

struct events {
    size_t count; // of descriptors for each event; 0: none is counted
    int *fd[EVENTS];
    int error[EVENTS]; // errno, where an event is not counted
};

// Begins to count for threads and all that they start.
void events_open(struct events *events, const pid_t *threads, size_t count);
// Begins to count for the control group (of v2) of that folder.
void events_open_group(struct events *events, const char *folder);
// What has been counted so far; NAN: it is not counted.
double events_read(const struct events *events, enum event event);
void events_close(struct events *events);

#endif
