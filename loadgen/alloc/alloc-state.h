#ifndef LOADGEN_ALLOC_STATE_H
#define LOADGEN_ALLOC_STATE_H

/* What the parts of loadgen alloc share: the options as given, and the state of a
 * run. */

#include "alloc/allocator.h"
#include "load.h"
#include "prefault.h"

struct alloc_settings {
    const char *size; /* MIN-MAX */
    uint64_t live_bytes;
    int allocator; /* 0: jemalloc if it is there, else 1 + index */
    bool purge;
};

struct alloc_plan {
    const struct allocator *allocator;
    uint64_t minimum_bytes, maximum_bytes; /* of one allocation */
    uint64_t live_bytes;                   /* of all workers, on average */
    uint64_t slots;                        /* of one worker */
    double room_bytes;                     /* that all of it takes at most */
    bool purge;
};

struct alloc_state {
    struct alloc_plan plan;
    char sizes[48]; /* of --size, in bytes */
    struct prefault prefault;
};

static inline struct alloc_settings *alloc_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct alloc_state *alloc_state_of(const struct run *run)
{
    return run->state;
}

#endif
