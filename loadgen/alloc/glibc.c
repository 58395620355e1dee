/* The C library's own allocator, by the names that no other allocator takes over.
 * With --purge, what is a page or more has a mapping of its own, and the top of the
 * heap is given back at once: mallopt(3). */

#include "alloc/allocator.h"
#include "room.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>

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

static bool present(void)
{
    return __libc_malloc != NULL && __libc_free != NULL && __libc_mallopt != NULL;
}

static int open_heap(struct alloc_heap *heap, bool purge)
{
    (void)heap;
    if (!purge || (__libc_mallopt(M_MMAP_THRESHOLD, (int)page_bytes()) == 1 &&
                   __libc_mallopt(M_TRIM_THRESHOLD, 0) == 1 && __libc_mallopt(M_TOP_PAD, 0) == 1))
        return 0;
    errno = EINVAL;
    return -1;
}

static void close_heap(struct alloc_heap *heap)
{
    (void)heap;
}

static void *get(struct alloc_heap *heap, size_t bytes)
{
    (void)heap;
    return __libc_malloc(bytes);
}

static void put(struct alloc_heap *heap, void *memory, size_t bytes)
{
    (void)heap;
    (void)bytes;
    __libc_free(memory);
}

static void statistics(struct alloc_statistics *result)
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
    .present = present,
    .open = open_heap,
    .close = close_heap,
    .get = get,
    .put = put,
    .statistics = statistics,
};
