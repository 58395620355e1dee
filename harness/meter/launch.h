#ifndef METER_LAUNCH_H
#define METER_LAUNCH_H

#include "group.h"
#include "settings.h"
#include "signals.h"
#include "system.h"

#include "common/machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

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

#define DRAIN_OF_NONE                                                                              \
    (struct drain)                                                                                 \
    {                                                                                              \
        .kept_fd = -1                                                                              \
    }

// What the target's process reports of itself up to its exec, in a page that it
// shares with meter.
struct launch_report {
    const char *failed_step;    // what could not be prepared, NULL if all could
    int step_error;             // errno of it
    int exec_error;             // errno of a failed exec, 0 if it went well
    int64_t outside_ns;         // CPU time of the process before it was in the group
    int64_t launch_ns;          // CPU time of the process up to what follows
    struct stall_totals stalls; // then
    int watched;                // by meter, which is about to sleep until something happens
    int64_t start_ns;           // CLOCK_MONOTONIC, right before the exec
    struct timespec start;      // the same moment of CLOCK_REALTIME
    struct timespec uptime;     // and of CLOCK_BOOTTIME, which nobody sets
    struct cpu_list cpus;       // the affinity in force
};

// The target's open files, -1: meter's own.
struct launch_files {
    int in_fd;
    int out_fd;
    int error_fd;
};

struct launch {
    const struct target *target; // of the run that is to come
    pid_t pid;
    struct launch_report *report; // valid once the process has ended or exec'ed
    bool prepared;                // for the run that is to come
    struct launch_files files;
    struct drain drain;        // of its stdout, where that is a pipe
    int captured_error_fd;     // capture.h; -1: not made
    struct stall_files stalls; // of the group that the target is started in
};

// launch_open: opens a file on a descriptor that is none of 0, 1 and 2 (which
// may be closed) and that no exec hands on. /dev/fd/N is a duplicate of N, with
// its offset. -1 with errno.
int launch_open(const char *path, int flags);

// launch_prepare: what a run needs before its target starts: the page, and the files
// for its output that the settings name, opened (and emptied) anew for each run. Does
// nothing when that is already done. False after a message.
bool launch_prepare(struct launch *launch, const struct settings *settings);

// launch_open_input: opens its input, right before the run: whoever has the run made may
// have made the file just now. False after a message.
bool launch_open_input(struct launch *launch, const struct settings *settings);

// launch_start: starts the command, in the group if there is one. The group is
// given up if the kernel or our rights do not let a process be started in it.
// False after a message if no process could be made.
bool launch_start(struct launch *launch, const struct settings *settings,
                  const struct signals *signals, struct group *group);

// launch_watched: lets the target start, which has waited for this: a caller that still
// had to wait for a CPU on its way to sleep would not know what of that was before the
// target's end. To be called right before each sleep.
void launch_watched(const struct launch *launch);

// launch_close: closes the target's files.
void launch_close(struct launch *launch);

// drain_end: no process of the target is left: takes in what is still in the pipe. Does nothing
// where none is begun.
void drain_end(struct drain *drain);

// drain_free: of what the last run wrote.
void drain_free(struct drain *drain);

#endif
