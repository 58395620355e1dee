#include "alloc/allocator.h"
#include "load.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- jemalloc ---- */

/* Each worker has an arena of its own, and a thread cache that is filled from it;
 * with --purge none, and no decay: a freed page goes back to the system at once.
 * jemalloc(3): mallocx, arenas.create, arena.<i>.dirty_decay_ms, tcache.create. */

#ifndef WITHOUT_jemalloc

#include <jemalloc/jemalloc.h>

static bool jemalloc_present(void)
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

static int jemalloc_open(struct alloc_heap *heap, bool purge)
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

static void jemalloc_close(struct alloc_heap *heap)
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

static void *jemalloc_get(struct alloc_heap *heap, size_t bytes)
{
    return mallocx(bytes, heap->get_flags);
}

static void jemalloc_put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    sdallocx(memory, bytes, heap->put_flags);
}

static double statistic(const char *name)
{
    size_t value, size = sizeof value;
    return mallctl(name, &value, &size, NULL, 0) == 0 ? (double)value : NAN;
}

static void jemalloc_statistics(struct alloc_statistics *result)
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
    .present = jemalloc_present,
    .open = jemalloc_open,
    .close = jemalloc_close,
    .get = jemalloc_get,
    .put = jemalloc_put,
    .statistics = jemalloc_statistics,
};

#else

/* A build with a sanitizer, which has an allocator of its own, or on a machine without it. */
static bool jemalloc_present(void)
{
    return false;
}

const struct allocator alloc_jemalloc = {.name = "jemalloc", .present = jemalloc_present};

#endif

/* ---- glibc ---- */

/* The C library's own allocator, by the names that no other allocator takes over.
 * With --purge, what is a page or more has a mapping of its own, and the top of the
 * heap is given back at once: mallopt(3). */

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *memory);
extern int __libc_mallopt(int parameter, int value);
/* Other C libraries lack them. */
#pragma weak __libc_malloc
#pragma weak __libc_free
#pragma weak __libc_mallopt
#pragma weak mallinfo2

#if !__GLIBC_PREREQ(2, 33)
/* Where it is run there may be a newer one that has it. */
struct mallinfo2 {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};
extern struct mallinfo2 mallinfo2(void);
#endif

static bool glibc_present(void)
{
    return __libc_malloc != NULL && __libc_free != NULL && __libc_mallopt != NULL;
}

static int glibc_open(struct alloc_heap *heap, bool purge)
{
    (void)heap;
    if (!purge || (__libc_mallopt(M_MMAP_THRESHOLD, (int)page_bytes()) == 1 &&
                   __libc_mallopt(M_TRIM_THRESHOLD, 0) == 1 && __libc_mallopt(M_TOP_PAD, 0) == 1))
        return 0;
    errno = EINVAL;
    return -1;
}

static void glibc_close(struct alloc_heap *heap)
{
    (void)heap;
}

static void *glibc_get(struct alloc_heap *heap, size_t bytes)
{
    (void)heap;
    return __libc_malloc(bytes);
}

static void glibc_put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    (void)heap;
    (void)bytes;
    __libc_free(memory);
}

static void glibc_statistics(struct alloc_statistics *result)
{
    *result = (struct alloc_statistics){NAN, NAN, NAN, NAN};
    if (mallinfo2 == NULL)
        return;
    const struct mallinfo2 info = mallinfo2();
    result->allocated_bytes = (double)info.uordblks + (double)info.hblkhd;
    result->active_bytes = (double)info.arena + (double)info.hblkhd;
}

const struct allocator alloc_glibc = {
    .name = "glibc",
    .usual = {.factor = 1.4},
    .purging = {.factor = 1.2, .pages_of_large = 1}, /* each a mapping of its own */
    .present = glibc_present,
    .open = glibc_open,
    .close = glibc_close,
    .get = glibc_get,
    .put = glibc_put,
    .statistics = glibc_statistics,
};
