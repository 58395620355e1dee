#ifndef PROBE_KERNELS_H
#define PROBE_KERNELS_H

#include "harness/pressure/kinds.h"

#include <stddef.h>
#include <stdint.h>

// The small kernels that reporters are made of.

// Memory that is far larger than the L3, which several reporters use: touched once. They take
// the next part for each window, so that no part is used again before all others were: no cache
// can have it.
struct shared_area;

struct kernel_setting {
    uint64_t seed;              // its own
    struct shared_area *shared; // memory beyond all caches, of the reporter of memory
};

struct reporter_kernel {
    // What it holds, for the others; NULL: it cannot work here, and reason says why.
    void *(*open)(const struct kernel_setting *setting, char *reason, size_t size);
    // One window; its value in the reporter's unit. NAN: the system refused (errno).
    double (*window)(void *state, int64_t window_ns);
    void (*close)(void *state);
};

extern const struct reporter_kernel *const reporter_kernels[REPORTERS];

// CLOCK_MONOTONIC.
int64_t kernel_wall_ns(void);

// Untouched. NULL: out of memory.
struct shared_area *shared_area_new(void);
void shared_area_free(struct shared_area *shared);
// "thp", "base"; NULL: not touched yet.
const char *shared_area_pages(const struct shared_area *shared);

#endif
