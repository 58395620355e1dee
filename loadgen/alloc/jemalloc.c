/* Each worker has an arena of its own, and a thread cache that is filled from it;
 * with --purge none, and no decay: a freed page goes back to the system at once.
 * jemalloc(3): mallocx, arenas.create, arena.<i>.dirty_decay_ms, tcache.create. */

#include "alloc/allocator.h"

#ifndef WITHOUT_jemalloc

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <math.h>
#include <stdio.h>
#include <sys/types.h>

static bool present(void)
{
    return true;
}

/* 0, or -1 with errno, of a mallctl() that writes only. */
static int set(const char *name, void *value, size_t size)
{
    const int error = mallctl(name, NULL, NULL, value, size);
    errno = error;
    return error == 0 ? 0 : -1;
}

static int create(const char *name, unsigned *index)
{
    size_t size = sizeof *index;
    const int error = mallctl(name, index, &size, NULL, 0);
    errno = error;
    return error == 0 ? 0 : -1;
}

static int set_decay(unsigned arena, const char *kind, ssize_t decay_ms)
{
    char name[64];
    snprintf(name, sizeof name, "arena.%u.%s_decay_ms", arena, kind);
    return set(name, &decay_ms, sizeof decay_ms);
}

static int open_heap(struct alloc_heap *heap, bool purge)
{
    if (create("arenas.create", &heap->arena) != 0)
        return -1;
    heap->arena_open = true;
    heap->put_flags = MALLOCX_TCACHE_NONE;
    if (purge) {
        if (set_decay(heap->arena, "dirty", 0) != 0 || set_decay(heap->arena, "muzzy", 0) != 0)
            return -1;
    } else {
        if (create("tcache.create", &heap->cache) != 0)
            return -1;
        heap->cache_open = true;
        heap->put_flags = MALLOCX_TCACHE(heap->cache);
    }
    heap->get_flags = MALLOCX_ARENA(heap->arena) | heap->put_flags;
    return 0;
}

static void close_heap(struct alloc_heap *heap)
{
    char name[64];
    if (heap->cache_open)
        set("tcache.destroy", &heap->cache, sizeof heap->cache);
    heap->cache_open = false;
    if (!heap->arena_open)
        return;
    heap->arena_open = false;
    snprintf(name, sizeof name, "arena.%u.destroy", heap->arena);
    mallctl(name, NULL, NULL, NULL, 0);
}

static void *get(struct alloc_heap *heap, size_t bytes)
{
    return mallocx(bytes, heap->get_flags);
}

static void put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    sdallocx(memory, bytes, heap->put_flags);
}

static double statistic(const char *name)
{
    size_t value, size = sizeof value;
    return mallctl(name, &value, &size, NULL, 0) == 0 ? (double)value : NAN;
}

static void statistics(struct alloc_statistics *result)
{
    uint64_t epoch = 1; /* any value: the figures are brought up to date */
    size_t size = sizeof epoch;
    mallctl("epoch", &epoch, &size, &epoch, sizeof epoch);
    *result = (struct alloc_statistics){
        .allocated_bytes = statistic("stats.allocated"),
        .active_bytes = statistic("stats.active"),
        .resident_bytes = statistic("stats.resident"),
        .retained_bytes = statistic("stats.retained"),
    };
}

const struct allocator alloc_jemalloc = {
    .name = "jemalloc",
    .usual = {.factor = 1.5},
    .purging = {.factor = 1.35},
    .present = present,
    .open = open_heap,
    .close = close_heap,
    .get = get,
    .put = put,
    .statistics = statistics,
};

#else

/* A build with a sanitizer, which has an allocator of its own, or on a machine without it. */
static bool present(void)
{
    return false;
}

const struct allocator alloc_jemalloc = {.name = "jemalloc", .present = present};

#endif
