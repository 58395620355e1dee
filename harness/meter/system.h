#ifndef METER_SYSTEM_H
#define METER_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// system_find: looks where things are. What cannot be had is left out.
void system_find(struct system_sources *sources);

// system_forget: closes what system_find() opened. Also after nothing was found.
void system_forget(struct system_sources *sources);

// system_read: the totals of now; what the kernel does not count is 0, or not there.
void system_read(struct system_totals *totals, const struct system_sources *sources);

#endif
