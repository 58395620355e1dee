#ifndef PROBE_REPORTER_KERNEL_H
#define PROBE_REPORTER_KERNEL_H

/* What a reporter is made of, for the files that define some. */

#include "harness/probe/reporter_memory.h"

#include <stddef.h>
#include <stdint.h>

struct kernel_setting {
    uint64_t seed;              /* its own */
    struct shared_area *shared; /* memory beyond all caches, of the reporter of memory */
};

struct reporter_kernel {
    /* What it holds, for the others; NULL: it cannot work here, and reason says why. */
    void *(*open)(const struct kernel_setting *setting, char *reason, size_t size);
    /* One window; its value in the reporter's unit. NAN: the system refused (errno). */
    double (*window)(void *state, int64_t window_ns);
    void (*close)(void *state);
};

extern const struct reporter_kernel kernel_gap;    /* reporters_wait.c */
extern const struct reporter_kernel kernel_l2;     /* reporters_core.c */
extern const struct reporter_kernel kernel_memory; /* reporters_memory.c */
extern const struct reporter_kernel kernel_faults; /* reporters_faults.c */

/* ---- reporter_kernel.c ---- */

/* CLOCK_MONOTONIC. */
int64_t kernel_wall_ns(void);
/* CPU time of this thread: waiting for a CPU is not in it. */
int64_t kernel_cpu_ns(void);

/* Calls chunk(state) until window_ns of the thread's CPU time are used, or four times as much of
 * the wall time has passed; at least once. Returns the nanoseconds of CPU time for each of the
 * operations, of which a chunk has so many. */
double kernel_cpu_time_each(void (*chunk)(void *state), void *state, size_t operations,
                            int64_t window_ns);

#endif
