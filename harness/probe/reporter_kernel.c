#include "harness/probe/reporter_kernel.h"

#include "common/chase.h"
#include "common/headroom.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_BYTES ((size_t)2 << 20)
/* However large the L3 is: an experiment must not take more memory, nor seconds to touch it, on a
 * machine with a larger one. With the rings of L2 and L3, and all else, less than 150 MiB. */
#define AREA_BYTES ((size_t)56 << 20)

bool area_map(struct area *area, size_t bytes)
{
    const size_t whole = (bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    *area = (struct area){.bytes = bytes, .base_bytes = whole + HUGE_BYTES};
    area->base =
        mmap(NULL, area->base_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area->base == MAP_FAILED)
        return false;
    area->memory = (char *)area->base + (HUGE_BYTES - (uintptr_t)area->base % HUGE_BYTES);
    (void)madvise(area->memory, whole, MADV_HUGEPAGE); /* else the usual pages */
    return true;
}

void area_unmap(struct area *area)
{
    if (area->base != NULL && area->base != MAP_FAILED)
        munmap(area->base, area->base_bytes);
    *area = (struct area){0};
}

void area_read(const void *memory, size_t bytes)
{
    const char *at = memory;
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i += CHASE_LINE_BYTES)
        sum += *(const uint64_t *)(const void *)(at + i);
    __asm__ volatile("" : "+r"(sum)); /* it is needed */
}

struct shared_area {
    struct area area;
    size_t next; /* offset of the next part */
    const char *pages;
};

struct shared_area *shared_area_new(void)
{
    return calloc(1, sizeof(struct shared_area));
}

void shared_area_free(struct shared_area *shared)
{
    if (shared == NULL)
        return;
    area_unmap(&shared->area);
    free(shared);
}

/* Whether what begins at memory is in huge pages, by the kernel's own list. */
static const char *pages_of(const void *memory)
{
    char line[512];
    bool inside = false;
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/self/smaps", "re");
    if (file == NULL)
        return "unknown";
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)memory >= from && (uintptr_t)memory < to;
        else if (inside && sscanf(line, "AnonHugePages: %llu", &kib) == 1)
            break;
    }
    fclose(file);
    return kib > 0 ? "thp" : "base";
}

bool shared_area_open(struct shared_area *shared, char *reason, size_t size)
{
    if (shared->pages != NULL)
        return true;
    /* A quarter of what may be taken at most: the cgroup's limit counts as well. */
    if (AREA_BYTES > headroom_left(-1).bytes / 4 || !area_map(&shared->area, AREA_BYTES)) {
        snprintf(reason, size, "no memory for %zu MiB", AREA_BYTES >> 20);
        shared->area = (struct area){0};
        return false;
    }
    /* Rings of one part each: linking one ring through all would wait for memory all the time. */
    for (size_t at = 0; at < AREA_BYTES; at += SHARED_PART_BYTES)
        chase_link((char *)shared->area.memory + at, SHARED_PART_BYTES / CHASE_LINE_BYTES,
                   (unsigned)(at / SHARED_PART_BYTES));
    shared->pages = pages_of(shared->area.memory);
    return true;
}

void *shared_area_next(struct shared_area *shared)
{
    void *part = (char *)shared->area.memory + shared->next;
    shared->next = (shared->next + SHARED_PART_BYTES) % shared->area.bytes;
    return part;
}

const char *shared_area_pages(const struct shared_area *shared)
{
    return shared->pages;
}

#define MOST_STRETCH 4

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int64_t kernel_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t kernel_cpu_ns(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

double kernel_cpu_time_each(void (*chunk)(void *state), void *state, size_t operations,
                            int64_t window_ns)
{
    const int64_t wall_end_ns = kernel_wall_ns() + MOST_STRETCH * window_ns;
    const int64_t begin_ns = kernel_cpu_ns();
    int64_t used_ns;
    double done = 0;
    do {
        chunk(state);
        done += (double)operations;
        used_ns = kernel_cpu_ns() - begin_ns;
    } while (used_ns < window_ns && kernel_wall_ns() < wall_end_ns);
    return (double)used_ns / done;
}
