#ifndef LOADGEN_ALLOC_H
#define LOADGEN_ALLOC_H

/* loadgen alloc's own parts, known to each other. alloc.c is the load,
 * options.c its options, jemalloc.c and glibc.c the allocators,
 * calib.c the calibration. */

#include "calibration.h"
#include "filling.h"
#include "load.h"

/* ---- allocators ---- */

/* What one allocator knows of one worker's memory. */
struct alloc_heap {
    unsigned arena; /* jemalloc: the worker's own */
    int get_flags;
    int put_flags;
    unsigned cache; /* jemalloc: its thread cache */
    bool arena_open, cache_open;
};

/* Of the whole process, by the allocator's own word; NAN: it does not tell. */
struct alloc_statistics {
    double allocated_bytes; /* handed out */
    double active_bytes;    /* in pages with something handed out */
    double resident_bytes;  /* in memory, as far as the allocator knows */
    double retained_bytes;  /* addresses kept without memory behind them */
};

struct allocator {
    const char *name;
    bool (*present)(void);
    /* In the worker's thread. 0, or -1 with errno. close() also after a failure. */
    int (*open)(struct alloc_heap *heap, bool purge);
    void (*close)(struct alloc_heap *heap);
    void *(*get)(struct alloc_heap *heap, size_t bytes); /* NULL: no memory */
    void (*put)(struct alloc_heap *heap, void *memory, size_t bytes);
    void (*statistics)(struct alloc_statistics *statistics);
};

extern const struct allocator alloc_jemalloc, alloc_glibc;

/* ---- what is asked for ---- */

struct alloc_settings {
    const char *size; /* MIN-MAX */
    uint64_t live_bytes;
    int allocator; /* 0: jemalloc if it is there, else 1 + index */
    bool purge, calib;
    const char *calibration;
};

struct alloc_plan {
    const struct allocator *allocator;
    uint64_t minimum_bytes, maximum_bytes; /* of one allocation */
    uint64_t live_bytes;                   /* of all workers, on average */
    uint64_t slots;                        /* of one worker */
    bool purge;
};

struct alloc_state {
    struct alloc_plan plan;
    struct filling filling;
    struct calibration_found calibration;
};

static inline struct alloc_settings *alloc_settings_of(const struct run *run)
{
    return run->settings;
}

static inline struct alloc_state *alloc_state_of(const struct run *run)
{
    return run->state;
}

/* ---- options.c ---- */

extern const struct setting alloc_options[];
void alloc_check(struct run *run);
int alloc_rate(struct run *run, const char *text, double *rate, char *error, size_t size);

/* ---- alloc.c ---- */

int alloc_prepare(struct run *run);
void alloc_cleanup(struct run *run);

/* ---- calib.c ---- */

int alloc_calibrate(struct run *run);
int alloc_percent(struct run *run, double percent, double *rate, char *error, size_t size);

#endif
