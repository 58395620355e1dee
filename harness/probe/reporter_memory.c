#include "harness/probe/reporter_memory.h"

#include "common/caches.h"
#include "common/chase.h"
#include "common/headroom.h"
#include "common/units.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_BYTES  ((size_t)2 << 20)
#define LEAST_BYTES ((size_t)128 << 20)
#define MOST_BYTES  ((size_t)1 << 30)
#define L3S         4 /* so large */

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
    size_t most_bytes;
    const char *pages;
};

struct shared_area *shared_area_new(size_t most_bytes)
{
    struct shared_area *shared = calloc(1, sizeof *shared);
    if (shared != NULL)
        shared->most_bytes = most_bytes == 0 || most_bytes > MOST_BYTES ? MOST_BYTES : most_bytes;
    return shared;
}

void shared_area_free(struct shared_area *shared)
{
    if (shared == NULL)
        return;
    area_unmap(&shared->area);
    free(shared);
}

static size_t bytes_wanted(size_t most_bytes)
{
    struct caches caches;
    caches_read(-1, &caches);
    const size_t wanted = L3S * (size_t)caches.l3_bytes;
    const size_t bytes = wanted < LEAST_BYTES ? LEAST_BYTES : wanted;
    const size_t parts = (bytes > most_bytes ? most_bytes : bytes) / SHARED_PART_BYTES;
    return (parts == 0 ? 1 : parts) * SHARED_PART_BYTES;
}

/* A quarter of what may be taken at most: the cgroup's limit counts as well. */
static bool too_much(size_t bytes)
{
    return bytes > headroom_left(-1).bytes / 4;
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
    const size_t bytes = bytes_wanted(shared->most_bytes);
    if (too_much(bytes) || !area_map(&shared->area, bytes)) {
        char text[32];
        snprintf(reason, size, "no memory for %s",
                 units_format_size((double)bytes, text, sizeof text));
        shared->area = (struct area){0};
        return false;
    }
    /* Rings of one part each: linking one ring through all would wait for memory all the time. */
    for (size_t at = 0; at < bytes; at += SHARED_PART_BYTES)
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
