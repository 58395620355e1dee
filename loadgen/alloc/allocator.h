#ifndef LOADGEN_ALLOC_ALLOCATOR_H
#define LOADGEN_ALLOC_ALLOCATOR_H

/* The interface of an allocator that loadgen alloc can use. */

#include <stdbool.h>
#include <stddef.h>

/* What one allocator knows of one worker's memory. */
struct alloc_heap {
    unsigned arena; /* jemalloc: the worker's own */
    int get_flags;
    int put_flags;
    unsigned cache; /* jemalloc: its thread cache */
    bool arena_open, cache_open;
};

/* Of the whole process, as the allocator reports it; NAN: it does not. */
struct alloc_statistics {
    double allocated_bytes; /* handed out */
    double active_bytes;    /* in pages with something handed out */
    double resident_bytes;  /* in memory, as far as the allocator knows */
    double retained_bytes;  /* addresses kept without memory behind them */
};

/* Memory that an allocator holds for each allocation, beyond its bytes, at most: measured
 * by VmHWM under churn with sizes of 16 bytes to 4 MiB, one or log-uniform. */
struct alloc_spare {
    double factor;         /* for rounding, and for what is free and not yet given back */
    double pages_of_large; /* more for each one of a page or more */
};

struct allocator {
    const char *name;
    struct alloc_spare usual, purging; /* without and with --purge */
    bool (*present)(void);
    /* In the worker's thread. 0, or -1 with errno. close() also after a failure. */
    int (*open)(struct alloc_heap *heap, bool purge);
    void (*close)(struct alloc_heap *heap);
    void *(*get)(struct alloc_heap *heap, size_t bytes); /* NULL: no memory */
    void (*put)(struct alloc_heap *heap, void *memory, size_t bytes);
    void (*statistics)(struct alloc_statistics *statistics);
};

extern const struct allocator alloc_jemalloc, alloc_glibc;

#endif
