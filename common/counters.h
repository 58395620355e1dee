// What the kernel counts of the whole machine.
#ifndef COMMON_COUNTERS_H
#define COMMON_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// Bytes that went over the interfaces of a network namespace. UNKNOWN: not counted.
struct network {
    int64_t bytes;          // received and sent, but for the loopback
    int64_t loopback_bytes; // there each byte comes back, and counts once
};

// path: a file such as /proc/net/dev, which is that of the caller's namespace.
struct network network_read(const char *path);

// CPU times are sums over the CPUs; all but the load average count since boot.
struct counters {
    time_t time;
    unsigned cpus;          // online; 0: unknown
    double load_average[3]; // over 1, 5 and 15 minutes; NAN: unknown
    int64_t busy_us;        // of all tasks, without interrupts
    int64_t busy_ns;        // the same
    int64_t idle_us;        // of all CPUs, also while they wait for a disk
    int64_t steal_us;
    int64_t swap_total_kib, swap_used_kib;
    int64_t swap_in_pages, swap_out_pages;
    int64_t throttle_count; // of all cores; only some CPUs have it
    int64_t throttled_ns;   // by our CPU quota, summed over CPUs; only of files that are read often
    // Processes killed for want of memory: of our cgroup (only of files that are read often), of
    // the machine.
    int64_t cgroup_kills, machine_kills;
    int64_t cpu_some_us, memory_some_us, memory_full_us, io_some_us, io_full_us;
    struct network network; // only where struct counter_files says so
};

void counters_read(struct counters *counters);

// How many CPUs, of so many, others may use before a machine counts as busy. Foreign load counts
// against the machine where that is small: it takes caches, memory bandwidth and the scheduler's
// free choice. On a large one 5 % would be several CPUs, but one busy program already can take the
// target's own CPU, and makes all threads of a parallel target wait for the one that it delays.
double foreign_most_cpus(double cpus);

enum {
    COUNTER_STAT,
    COUNTER_BUSY, // cgroup v1's count of the CPU time of all tasks, to the nanosecond; else ticks
    COUNTER_CPU_PRESSURE,
    COUNTER_MEMORY_PRESSURE,
    COUNTER_IO_PRESSURE,
    COUNTER_VMSTAT,
    COUNTER_QUOTA, // the CPU quota that we are under
    COUNTER_KILLS, // what our cgroup counts of processes killed for want of memory
    COUNTER_FILES,
};

// Where the kernel counts: opened once, and read again and again, as to open a file takes longer
// than to read it. What there is not is -1.
struct counter_files {
    bool often;   // left out: load average, swap space, what goes there, and the number of CPUs
    bool swaps;   // there is swap space, so pages may come back from it
    bool network; // with `often`: the network is counted, too; the kernel composes its file for
                  // each read
    int fd[COUNTER_FILES];
    int *throttle_fd; // of each CPU
    size_t throttle_count;
};

void counters_open(struct counter_files *files, bool often);
void counters_take(const struct counter_files *files, struct counters *counters);
// May be repeated.
void counters_close(struct counter_files *files);

// Busy time of each CPU since boot, with interrupts, by its number. Returns how many there are, at
// most so many.
size_t cpus_busy_us(int64_t *busy_us, size_t most);

// Pressure stall (Documentation/accounting/psi.rst) of the machine or a group, of a text such as
// "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000", and mostly a line "full ...".
void pressure_parse(const char *text, int64_t *some_us, int64_t *full_us);

#endif
