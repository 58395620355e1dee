// The target's own stalls: time in which it could not continue although it had work, from
// its exec to its end.
//
// Two sources, both of them lower bounds of the time in which at least one of the
// target's threads waited:
// - pressure-stall totals ("some") of a cgroup v2 of its own. The kernel takes the mean
//   over the CPUs, each weighted by the whole ticks that it was busy (see
//   collect_percpu_times() of Linux kernel/sched/psi.c): exact while one thread stays on one CPU,
//   up to N times too small for one that moves among N, and 0 for what took less than a tick.
// - its main thread's run delay, which is exact, but knows of no other thread or process
//   and of no wait for memory or a disk. Where both are known, the larger one counts.
//
// Of the CPU the group also has the time in which none of its tasks ran although one was ready
// ("full", Linux 5.13): what other programs took, where several tasks also wait for each other.
#ifndef METER_STALLS_H
#define METER_STALLS_H

#include "common/group.h"
#include "common/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum stall {
    STALL_CPU,
    STALL_MEMORY,
    STALL_IO,
    STALL_FILES,
    STALL_CPU_FULL = STALL_FILES,
    STALL_COUNT
};

// In place of a total that the kernel does not have.
#define STALL_UNKNOWN UINT64_MAX

// A group's pressure files, kept open: they are read twice a run.
struct stall_files {
    bool open; // all of them, or none
    int fd[STALL_FILES];
};

// Running totals.
struct stall_totals {
    bool has_group;
    uint64_t group_us[STALL_COUNT];
    bool has_delay;
    int64_t delay_ns; // of the main thread
    int64_t run_ns;   // its CPU time, of the same moment
};

// The files of the target's group. Where there are none (no group, not v2, a
// kernel without PSI), the group's part of the totals is not there.
void stalls_open(struct stall_files *files, const struct group *group);

// May be repeated.
void stalls_close(struct stall_files *files);

// The group's totals alone, in microseconds. False where it has none.
bool stalls_read(const struct stall_files *files, uint64_t totals_us[STALL_COUNT]);

// The totals of the calling process, which is about to become the target.
void stalls_begin(struct stall_totals *totals, const struct stall_files *files);

// The totals of the target, which has ended and has not been reaped.
void stalls_end(struct stall_totals *totals, const struct stall_files *files, pid_t target);

// Begins the member "stalls" with what grew over so long, of a group (before_us NULL:
// there is none), and by which the thread that waited longest for a CPU was delayed (-1: not
// known). Of a group that had nothing in less than `least_ns` nothing is known: the kernel may not
// have counted it. False, and null: nothing is known at all.
bool stalls_write(struct line *line, const uint64_t *before_us, const uint64_t *after_us,
                  int64_t delay_ns, int64_t time_ns, int64_t least_ns);

#endif
