// The pipe that is the target's stdout.
#ifndef METER_DRAIN_H
#define METER_DRAIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// How much of the output is in memory. It is given back when meter ends.
#define DRAIN_MEMORY_BYTES (64 << 20)

struct drain {
    int kept_fd;   // what came of the last run, to be read with pread(); -1: not made yet
    int pipe_fd;   // where it comes from
    int ending_fd; // an event: take what is there still, and end
    bool keeps;    // all of it is wanted
    bool in_file;  // there was more than fits into memory
    bool running;
    int64_t length; // of what is kept
    int64_t cpu_ns; // what the thread took in the last run, which is no load of others
    int error;      // errno of what could not be kept; 0: all was
    pthread_t thread;
};

#define DRAIN_OF_NONE ((struct drain){.kept_fd = -1})

// A new pipe, whose end for the target is *to_fd; it is the caller's to close. False
// with errno.
bool drain_begin(struct drain *drain, int *to_fd);

// No process of the target is left: takes in what is still in the pipe. Does nothing
// where none is begun.
void drain_end(struct drain *drain);

// Frees what the last run wrote.
void drain_free(struct drain *drain);

#endif
