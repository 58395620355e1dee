// Single accesses of a word, each of which waits for the one before.

#include "mem/mem.h"

#include "common/random.h"

// What is measured, in words.
const char *const mem_access_names[] = {
    NULL,
    "dependent loads of random lines",
    "dependent loads of the next word, which a prefetcher can foresee",
    "stores into random lines, each visible to all before the next",
    "stores into the next word, each visible to all before the next",
    "loads from random lines and stores of what they read into others, each visible to all before "
    "the next",
    "loads of the next word and stores of it into another array, each visible to all before the "
    "next",
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

// The compiler's fence is a locked instruction, which some CPUs run ahead of (measured on Zen 4:
// 17 ns for a store into memory whose loads take 200); MFENCE waits.
static inline void wait_for_all(void)
{
    __asm__ volatile("mfence" ::: "memory");
}

#elif defined(__aarch64__)
// DminLine of CTR_EL0: log2 of the words of the smallest data line of any cache here.
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

// The compiler's fence, DMB, only orders; DSB waits until the store is complete.
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

// What filling memory has left in the caches, a quarter of a footprint of four L3s, would be found
// by the loads of the first tenths of a second, and never again.
void mem_access_flush(const char *memory, size_t bytes)
{
    const size_t line_bytes = least_line_bytes();
    for (size_t i = 0; i < bytes; i += line_bytes)
        flush_line(memory + i);
    wait_for_all();
}

// A word of 1 or 8 bytes.
static inline size_t load(const char *place, size_t word)
{
    return word == 1 ? *(const volatile unsigned char *)place
                     : *(const volatile uint64_t *)(const volatile void *)place;
}

static inline void store(char *place, size_t value, size_t word)
{
    if (word == 1)
        *(volatile char *)place = (char)value;
    else
        *(volatile uint64_t *)(volatile void *)place = value;
    wait_for_all();
}

// Does `count` dependent loads of one word each from *at on through memory of `bytes` zeros, round
// and round.
static void load_next(const char *memory, size_t bytes, size_t word, size_t *at, size_t count)
{
    size_t place = *at;
    while (count > 0) {
        const size_t left = (bytes - place) / word, some = count < left ? count : left;
        const size_t end = place + some * word;
        // The word is 0, but only the load knows.
        while (place < end)
            place += word + load(memory + place, word);
        place = place >= bytes ? 0 : place;
        count -= some;
    }
    *at = place;
}

// Does `count` stores of one word, each followed by a full fence: it is complete when its line
// is in this CPU's cache, exclusively, and the store buffer is empty. from: each stores what it has
// loaded from the same place of that array; NULL: it only stores.
static void store_next(char *memory, const char *from, size_t bytes, size_t word, size_t *at,
                       size_t count)
{
    size_t place = *at;
    for (size_t i = 0; i < count; i++) {
        store(memory + place, from ? load(from + place, word) : i, word);
        place = place + word == bytes ? 0 : place + word;
    }
    *at = place;
}

static inline size_t random_line(uint64_t *random, size_t bytes)
{
    return random_below(random, bytes / MEM_LINE_BYTES) * MEM_LINE_BYTES;
}

// Stores as store_next() does, but at random lines, and what it stores is loaded from another line.
static void store_random(char *memory, const char *from, size_t bytes, size_t word,
                         uint64_t *random, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t value = from ? load(from + random_line(random, bytes), word) : i;
        store(memory + random_line(random, bytes), value, word);
    }
}

void mem_access_run(const struct mem_plan *plan, struct mem_worker *own, uint64_t count)
{
    const size_t bytes = plan->array_bytes, word = plan->word_bytes;
    char *memory = (char *)own->array[0];
    const char *from = (const char *)own->array[1]; // NULL: nothing is copied
    switch (plan->access) {
    case ACCESS_LOAD_RANDOM:
        own->next = chase_run(own->next, count);
        break;
    case ACCESS_LOAD_NEXT:
        load_next(memory, bytes, word, &own->byte, count);
        break;
    case ACCESS_STORE_NEXT:
    case ACCESS_COPY_NEXT:
        store_next(memory, from, bytes, word, &own->byte, count);
        break;
    case ACCESS_STORE_RANDOM:
    case ACCESS_COPY_RANDOM:
        store_random(memory, from, bytes, word, &own->random, count);
        break;
    case ACCESS_NONE:
        break;
    }
}
