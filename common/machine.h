#ifndef COMMON_MACHINE_H
#define COMMON_MACHINE_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// Which CPUs this process may use, and how much of them.

enum {
    // CPUs that are known, 0 to CPUS_MOST - 1: the most that Linux is built for (CONFIG_NR_CPUS
    // with MAXSMP); glibc's cpu_set_t ends at 1,024, where larger kernels refuse it.
    CPUS_MOST = 8192,
    // Bytes that any list has room in as text: pairs with a gap are the longest, 10 bytes
    // ("8188-8189,") for every 3 CPUs.
    CPUS_TEXT = 32768
};

struct cpu_list {
    unsigned count;
    int cpu[CPUS_MOST]; // ascending
};

// The affinity mask, which a cpuset has narrowed already. 0, or -1 with errno.
int cpus_allowed(struct cpu_list *list);
// "0-3,8". 0, or -1 when the text is no such list.
int cpus_parse(const char *text, struct cpu_list *list);
// The first of `wanted` that is not in `allowed`; -1 when all are.
int cpus_missing(const struct cpu_list *wanted, const struct cpu_list *allowed);
// Whether they have a CPU in common.
bool cpus_overlap(const struct cpu_list *a, const struct cpu_list *b);
// "0-3,8" into text, of CPUS_TEXT bytes or of what is long enough; returns text.
const char *cpus_format(const struct cpu_list *list, char *text, size_t size);
// CPU bandwidth of the cgroup that this process is in, or of the tightest one
// above it, in CPUs; v2 cpu.max or v1 cpu.cfs_quota_us. INFINITY: no quota.
double cpus_quota(void);

// cpu.stat of the nearest group with a quota, from our own up; -1: there is none, or no such file.
int cpus_throttled_open(void);
// How long it has held back CPUs so far, in nanoseconds, summed over CPUs. False for fd -1.
bool cpus_throttled_ns(int fd, uint64_t *throttled_ns);
// Puts the calling thread on one CPU, or on a whole list.
int cpus_pin(int cpu);
int cpus_pin_list(const struct cpu_list *list);
// Another process, and what it starts from now on.
int cpus_pin_process(pid_t process, const struct cpu_list *list);
// Where a thread of this or another process may run at this moment, added to
// *list. False, and nothing added, when it is gone.
bool cpus_of_thread(pid_t thread, struct cpu_list *list);
// Adds one CPU, which may be there already.
void cpus_add(struct cpu_list *list, int cpu);

// What the kernel states of a CPU's caches (/sys/devices/system/cpu/cpuN/cache). Inside a
// virtual machine it may be more, or less, than what is there.

struct caches {
    uint64_t l1_bytes, l2_bytes, l3_bytes; // of data or unified; 0: not stated
};

// Of that CPU; -1: of the one that the caller runs on.
void caches_read(int cpu, struct caches *caches);

// How what is measured together shares the CPUs. The kernel shares them among control groups
// first, or else among sessions (autogroup, sched(7)), and among threads last: who has a
// group of its own gets as much as all threads of another. So target, client, service and each
// load are in the same group: in the session and in the control group of jostle.

// The name of this arrangement in records.
#define ARRANGEMENT_NAME "same"

// To be called right after a fork: nothing that is typed on the terminal, that is sent to our
// process group, or that the terminal's end brings reaches this process and those that it
// starts, nor can the terminal stop them. So it would be in a session of its own, which would be a
// group of its own, too.
void arrangement_apart(void);

// What the kernel counts, and what this machine is. Every path below is taken
// under JOSTLE_KERNEL_ROOT where that is set, so that tests can make up a machine.

#define UNKNOWN (-1) // this kernel does not say

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
// How many processes of this machine the kernel has killed for want of memory; UNKNOWN: it does not
// count them (before Linux 4.13).
int64_t memory_kills_read(void);
// What can be said of a process that it may have been: the count is the machine's.
#define MEMORY_KILLED "and the kernel killed processes of this machine for want of memory meanwhile"
// Whether that is to be said of a process that ended with this status, as of waitpid(): it, or what
// it waited for, was killed, and the count has grown since it was kills_before.
bool memory_may_have_killed(int status, int64_t kills_before);

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
    bool network; // with `often`: the network is counted, too, whose file is made anew by each read
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

// What the scheduler counts for a thread since its fork (/proc/PID/schedstat).
struct schedstat {
    int64_t run_ns;   // on a CPU; of a thread that is running now, up to a tick ago
    int64_t delay_ns; // ready to run, and waiting for a CPU
};

// Of an open file. False where fd is -1, and where the kernel counts nothing (a build without
// SCHED_INFO).
bool schedstat_read(int fd, struct schedstat *schedstat);

// Whether processor, firmware or device tree say that this is a virtual machine.
bool machine_is_virtual(void);

// The path under JOSTLE_KERNEL_ROOT, into a buffer of PATH_MAX; returns it.
const char *machine_path(const char *path, char buffer[PATH_MAX]);
// The first line, without its end, of the file whose path is as printf makes it. False, and "":
// there is none.
bool machine_line(char *line, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The number that begins such a file; UNKNOWN where there is none.
int64_t machine_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
// What follows "NAME<separators>" on a line of a file such as /proc/meminfo.
// False, and "": no such line.
bool machine_field(const char *path, const char *name, const char *separators, char *value,
                   size_t size);

// What the processor packages have taken, by the kernel's powercap (RAPL): all that runs on them,
// of everybody, and without the machine's memory, disks and fans.

enum { ENERGY_PACKAGES = 16 };

struct energy {
    size_t count; // 0: none can be read
    int64_t at_ns;
    struct {
        uint64_t uj, range_uj; // the counter begins anew behind its range
        double most_w;         // that the package may take; 1000 where that is not known
    } package[ENERGY_PACKAGES];
};

// The counters as they are now (below JOSTLE_KERNEL_ROOT where that is set); errno says why there
// are none.
void energy_read(struct energy *energy);

// What was taken between two readings, in J. NAN: so long that a counter may have begun anew more
// than once, or not known.
double energy_between(const struct energy *before, const struct energy *after);

// The power in W while nothing of ours runs, over a second. NAN where it cannot be read.
double energy_idle_w(void);

#endif
