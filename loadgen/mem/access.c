#include "mem/access.h"

#include "common/random.h"
#include "mem/kernels.h"

#include <stdatomic.h>

const char *const mem_access_names[] = {
    NULL,
    "dependent loads of random lines",
    "dependent loads of the next byte, which a prefetcher can foresee",
    "stores into random lines, each visible to all before the next",
    "stores into the next byte, each visible to all before the next",
};

#if defined(__x86_64__)
static size_t least_line_bytes(void)
{
    return MEM_LINE_BYTES;
}

static inline void flush_line(const char *line)
{
    __builtin_ia32_clflush(line);
}

/* The compiler's fence is a locked instruction, which some CPUs run ahead of (measured on Zen 4:
 * 17 ns for a store into memory whose loads take 200); MFENCE waits. */
static inline void wait_for_all(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

#elif defined(__aarch64__)
/* DminLine of CTR_EL0: log2 of the words of the smallest data line of any cache here. */
static size_t least_line_bytes(void)
{
    uint64_t type;
    __asm__("mrs %0, ctr_el0" : "=r"(type));
    return (size_t)4 << (type >> 16 & 0xf);
}

static inline void flush_line(const char *line)
{
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

/* The compiler's fence, DMB, only orders; DSB waits until the store is complete. */
static inline void wait_for_all(void)
{
    __asm__ volatile("dsb ish" ::: "memory");
}

#else
static size_t least_line_bytes(void)
{
    return MEM_LINE_BYTES;
}

static inline void flush_line(const char *line)
{
    (void)line;
}

static inline void wait_for_all(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}
#endif

void mem_access_flush(const char *memory, size_t bytes)
{
    const size_t line_bytes = least_line_bytes();
    for (size_t i = 0; i < bytes; i += line_bytes)
        flush_line(memory + i);
    wait_for_all();
}

void mem_access_load_next(const char *memory, size_t bytes, size_t *at, size_t count)
{
    const volatile char *bytes_read = memory;
    size_t place = *at;
    while (count > 0) {
        const size_t left = bytes - place, some = count < left ? count : left;
        const size_t end = place + some;
        /* The byte is 0, but only the load knows. */
        while (place < end)
            place += 1 + (size_t)bytes_read[place];
        place = place >= bytes ? 0 : place;
        count -= some;
    }
    *at = place;
}

static inline void store(char *place, size_t value)
{
    *(volatile char *)place = (char)value;
    wait_for_all();
}

void mem_access_store_next(char *memory, size_t bytes, size_t *at, size_t count)
{
    size_t place = *at;
    for (size_t i = 0; i < count; i++) {
        store(memory + place, i);
        place = place + 1 == bytes ? 0 : place + 1;
    }
    *at = place;
}

void mem_access_store_random(char *memory, size_t bytes, uint64_t *random, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store(memory + random_below(random, bytes / MEM_LINE_BYTES) * MEM_LINE_BYTES, i);
}
