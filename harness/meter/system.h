#ifndef METER_SYSTEM_H
#define METER_SYSTEM_H

#include "common/group.h"
#include "common/machine.h"

// fd_close: unless it is -1, which it is then.
void fd_close(int *fd);

// schedstat_open: the file of a process, 0: our own, to be read again and again. -1 with
// errno.
int schedstat_open(pid_t pid);

// The target's own stalls: time in which it could not continue although it had work, from
// its exec to its end.
//
// Two sources, both of them lower bounds of the time in which at least one of the
// target's threads waited:
// - pressure-stall totals ("some") of a cgroup v2 of its own. The kernel takes the mean
//   over the CPUs, each weighted by the whole ticks that it was busy (kernel/sched/psi.c,
//   collect_percpu_times): exact while one thread stays on one CPU, up to N times too
//   small for one that moves among N, and 0 for what took less than a tick.
// - its main thread's run delay, which is exact, but knows of no other thread or process
//   and of no wait for memory or a disk. Where both are known, the larger one counts.

enum stall { STALL_CPU, STALL_MEMORY, STALL_IO, STALL_COUNT };

// The members of "stalls" in a record.
extern const char *const stall_names[STALL_COUNT];

// A group's pressure files, kept open: they are read twice a run.
struct stall_files {
    bool open; // all of them, or none
    int fd[STALL_COUNT];
};

// Running totals.
struct stall_totals {
    bool has_group;
    uint64_t group_us[STALL_COUNT];
    bool has_delay;
    int64_t delay_ns; // of the main thread
    int64_t run_ns;   // its CPU time, of the same moment
};

// What a run's stalls were.
struct stalls {
    bool from_group;         // else from the run delay alone
    bool known[STALL_COUNT]; // none: nothing is known
    int64_t ns[STALL_COUNT];
    bool has_delay; // of the main thread alone:
    int64_t delay_ns;
    int64_t run_ns; // its CPU time
};

// stalls_open: the files of the target's group. Where there are none (no group, not v2, a
// kernel without PSI), the group's part of the totals is not there.
void stalls_open(struct stall_files *files, const struct group *group);

// stalls_close: may be repeated.
void stalls_close(struct stall_files *files);

// stalls_read: the group's totals alone, in microseconds. False where it has none.
bool stalls_read(const struct stall_files *files, uint64_t totals_us[STALL_COUNT]);

// stalls_begin: the totals of the calling process, which is about to become the target.
void stalls_begin(struct stall_totals *totals, const struct stall_files *files);

// stalls_end: the totals of the target, which has ended and has not been reaped.
void stalls_end(struct stall_totals *totals, const struct stall_files *files, pid_t target);

// stalls_between: what grew over a run of that wall time.
struct stalls stalls_between(const struct stall_totals *before, const struct stall_totals *after,
                             int64_t wall_ns);

#endif
