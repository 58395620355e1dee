#ifndef PROBE_REPORTER_KERNEL_H
#define PROBE_REPORTER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of the reporters. */

/* Memory at a multiple of 2 MiB, in huge pages where the system gives them on request. */
struct area {
    void *memory;
    size_t bytes;
    void *base; /* of the mapping */
    size_t base_bytes;
};

/* Memory that is far larger than the L3, which several reporters use: touched once. They take
 * the next part for each window, so that no part is used again before all others were: no cache
 * can have it. */
struct shared_area;

/* The next part, of SHARED_PART_BYTES: a ring for chase_run(), from its beginning on. */
#define SHARED_PART_BYTES ((size_t)4 << 20)

/* What a reporter is made of, for the files that define some. */

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

/* False, with errno: there is none. Untouched. */
bool area_map(struct area *area, size_t bytes);

void area_unmap(struct area *area);

/* Reads one word of each cache line, in order. */
void area_read(const void *memory, size_t bytes);

/* Untouched. NULL: out of memory. */
struct shared_area *shared_area_new(void);

void shared_area_free(struct shared_area *shared);

/* Touches it, if nobody has. False: there is no memory for it; reason says how much. */
bool shared_area_open(struct shared_area *shared, char *reason, size_t size);

void *shared_area_next(struct shared_area *shared);

/* "thp", "base"; NULL: not touched yet. */
const char *shared_area_pages(const struct shared_area *shared);

#endif
