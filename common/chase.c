#include "common/chase.h"

#include "common/random.h"

#include <stdint.h>

struct cache_line {
    union {
        size_t index;
        void *next;
    };
    char rest[CHASE_LINE_BYTES - sizeof(void *)];
};

void chase_link(void *memory, size_t lines, unsigned seed)
{
    struct cache_line *line = memory;
    uint64_t state = 0x9E3779B97F4A7C15ull + seed;
    for (size_t i = 0; i < lines; i++)
        line[i].index = i;
    // Sattolo: as Fisher-Yates, but never with itself: one cycle of all.
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = random_below(&state, i);
        const size_t swap = line[i].index;
        line[i].index = line[j].index;
        line[j].index = swap;
    }
    for (size_t i = 0; i < lines; i++)
        line[i].next = &line[line[i].index];
}

void **chase_run(void **at, size_t loads)
{
    for (size_t i = 0; i < loads; i += 16) {
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++)
            at = *at;
    }
    __asm__ volatile("" : "+r"(at)); // it is needed
    return at;
}
