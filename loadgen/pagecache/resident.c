#include "pagecache/resident.h"

#include "page.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>

#define STEP_BYTES (256ull << 20)      /* that are mapped at a time */
#define MOST_PAGES (STEP_BYTES / 4096) /* no system has smaller ones */

/* One mapping of it; mincore() reports what is there without touching it. */
static uint64_t resident_in(int fd, uint64_t from, size_t bytes, unsigned char *pages)
{
    const size_t page = page_bytes();
    uint64_t count = 0;
    void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)from);
    if (memory == MAP_FAILED)
        return 0;
    if (mincore(memory, bytes, pages) == 0)
        for (size_t i = 0; i * page < bytes; i++)
            count += pages[i] & 1;
    munmap(memory, bytes);
    return count * page;
}

uint64_t resident_bytes(int fd, uint64_t from, uint64_t bytes)
{
    static _Thread_local unsigned char pages[MOST_PAGES];
    uint64_t sum = 0;
    for (uint64_t at = 0; at < bytes; at += STEP_BYTES) {
        const uint64_t left = bytes - at;
        sum += resident_in(fd, from + at, left < STEP_BYTES ? left : STEP_BYTES, pages);
    }
    return sum;
}

void resident_drop(int fd, uint64_t from, uint64_t bytes)
{
    (void)posix_fadvise(fd, (off_t)from, (off_t)bytes, POSIX_FADV_DONTNEED);
}
