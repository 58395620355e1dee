#ifndef METER_SYSTEM_H
#define METER_SYSTEM_H

#include "common/group.h"

// The files that the kernel counts in. What it does not have is -1.
enum system_file {
    SYSTEM_CPU_PRESSURE,
    SYSTEM_MEMORY_PRESSURE,
    SYSTEM_IO_PRESSURE,
    SYSTEM_STAT,
    SYSTEM_BUSY,  // cgroup v1's count of the CPU time of all tasks
    SYSTEM_QUOTA, // the CPU quota that we are under (cpus_throttled_open())
    SYSTEM_FILES,
};

// Where this machine keeps its counters: opened once, read around each run, because to open
// them takes longer than to read them.
struct system_sources {
    const char *root; // before every path; tests have a made-up machine there
    int fd[SYSTEM_FILES];
    bool swaps;        // there is swap space, so pages may come back from it
    unsigned cpus;     // online
    int *throttle_fds; // a file for each CPU; only Intel's processors have them
    size_t throttle_count;
};

// Running totals of the whole machine: what is interesting is their growth
// over a run.
struct system_totals {
    bool has_pressure; // the kernel has /proc/pressure
    // Pressure stall, in microseconds (Documentation/accounting/psi.rst).
    uint64_t cpu_some_us;
    uint64_t memory_some_us;
    uint64_t memory_full_us;
    uint64_t io_some_us;
    uint64_t io_full_us;
    // Time of all CPUs together that the hypervisor gave to others, in
    // nanoseconds, as fine as the kernel's clock ticks (10 ms).
    uint64_t steal_ns;
    // CPU time of all tasks. Ticks, where there is nothing better, are samples: a
    // task that works in short periods, as loads do, may be seen always or never.
    bool has_busy;
    uint64_t busy_ns;
    bool has_swap_in;
    uint64_t swap_in_pages;
    bool has_throttle;
    uint64_t throttle_count; // of all cores
    bool has_quota;
    uint64_t throttled_ns; // by our CPU quota, summed over CPUs
};

// fd_close: unless it is -1, which it is then.
void fd_close(int *fd);

// system_find: looks where things are. What cannot be had is left out.
void system_find(struct system_sources *sources);

// system_forget: closes what system_find() opened. Also after nothing was found.
void system_forget(struct system_sources *sources);

// system_read: the totals of now; what the kernel does not count is 0, or not there.
void system_read(struct system_totals *totals, const struct system_sources *sources);

// What the scheduler counts for a process's main thread, in nanoseconds and since its
// fork (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst).
struct schedstat {
    int64_t run_ns;   // on a CPU; of a thread that is running now, up to a tick ago
    int64_t delay_ns; // ready to run, and waiting for a CPU
};

// schedstat_open: the file of a process, 0: our own, to be read again and again. -1 with
// errno.
int schedstat_open(pid_t pid);

// schedstat_read: the totals of now; false where fd is -1, and where the kernel counts
// nothing (a build without SCHED_INFO).
bool schedstat_read(int fd, struct schedstat *schedstat);

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
