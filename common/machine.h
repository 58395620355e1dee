#ifndef COMMON_MACHINE_H
#define COMMON_MACHINE_H

/* What the kernel counts, and what this machine is. Every path below is taken
 * under JOSTLE_KERNEL_ROOT where that is set, so that tests can make up a machine. */

#include "common/cpus.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define UNKNOWN (-1) /* this kernel does not say */

/* CPU times are sums over the CPUs; all but the load average count since boot. */
struct counters {
    time_t time;
    unsigned cpus;          /* online; 0: unknown */
    double load_average[3]; /* over 1, 5 and 15 minutes; NAN: unknown */
    int64_t busy_us;        /* of all tasks, without interrupts */
    int64_t idle_us;        /* of all CPUs, also while they wait for a disk */
    int64_t steal_us;
    int64_t swap_total_kib, swap_used_kib;
    int64_t swap_in_pages, swap_out_pages;
    int64_t throttle_count; /* of all cores; only some CPUs have it */
    int64_t cpu_some_us, memory_some_us, memory_full_us, io_some_us, io_full_us;
};

void counters_read(struct counters *counters);

/* What the machine is; "" and UNKNOWN where it does not say. */
struct environment {
    char host[256], os[128], kernel[512], architecture[128], cpu[128];
    int cpus_online;
    char cpus_allowed[CPUS_TEXT];
    char governor[64]; /* of all CPUs, each once; "unknown" where it is not shown */
    bool virtual_machine;
    int64_t memory_bytes;
    char clocksource[64];
    char folder[PATH_MAX]; /* the current one, and what it is on: see common/device.h */
    char file_system[64], device[128];
};

void environment_read(struct environment *environment);
/* Whether processor, firmware or device tree say that this is a virtual machine. */
bool machine_is_virtual(void);

/* The path under JOSTLE_KERNEL_ROOT, into a buffer of PATH_MAX; returns it. */
const char *machine_path(const char *path, char buffer[PATH_MAX]);
/* The first line of a file, without its end. False, and "": there is none. */
bool machine_line(const char *path, char *line, size_t size);
/* The number that begins a file; UNKNOWN where there is none. */
int64_t machine_number(const char *path);
/* What follows "NAME<separators>" on a line of a file such as /proc/meminfo.
 * False, and "": no such line. */
bool machine_field(const char *path, const char *name, const char *separators, char *value,
                   size_t size);

#endif
