// The start of the target.
#ifndef METER_LAUNCH_H
#define METER_LAUNCH_H

#include "command_line.h"
#include "drain.h"
#include "signals.h"
#include "stalls.h"

#include "common/cpus.h"
#include "common/group.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// What the target's process reports of itself up to its exec, in a page that it
// shares with meter.
struct launch_report {
    const char *failed_step;    // what could not be prepared, NULL if all could
    int step_error;             // errno of it
    int exec_error;             // errno of a failed exec, 0 if it went well
    char exec_why[512];         // then, in words
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
    int captured_error_fd;     // of a capture; -1: not made
    struct stall_files stalls; // of the group that the target is started in
};

// Opens a file on a descriptor that is none of 0, 1 and 2 (which
// may be closed) and that no exec hands on. /dev/fd/N is a duplicate of N, with
// its offset. -1 with errno.
int launch_open(const char *path, int flags);

// Opens where records go; "-": stdout. False after a message.
bool launch_open_output(int *fd, const char *path);

// What a run needs before its target starts: the page, and the files
// for its output that are asked for, opened (and emptied) anew for each run. Does
// nothing when that is already done. False after a message.
bool launch_prepare(struct launch *launch, const struct command_line *asked);

// Opens its input, right before the run: whoever has the run made may
// have made the file just now. False after a message.
bool launch_open_input(struct launch *launch, const struct command_line *asked);

// Starts the command, in the group if there is one. The group is
// given up if the kernel or our rights do not let a process be started in it.
// False after a message if no process could be made.
bool launch_start(struct launch *launch, const struct command_line *asked,
                  const struct signals *signals, struct group *group);

// Lets the target start, which has waited for this: a caller that still
// had to wait for a CPU on its way to sleep would not know what of that was before the
// target's end. To be called right before each sleep.
void launch_watched(const struct launch *launch);

// Closes the target's files.
void launch_close(struct launch *launch);

#endif
