#include "schedule.h"

#include <stdint.h>

// splitmix64, S. Vigna, https://prng.di.unimi.it/splitmix64.c (public domain):
// seeding one of GSL's generators anew for each block would cost more than the
// few numbers that a block needs.
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

void schedule_block(unsigned long seed, size_t block, size_t *order, size_t conditions)
{
    uint64_t state = seed;
    state = next(&state) + block;
    for (size_t i = 0; i < conditions; i++) {
        // Fisher-Yates, inside out; the bias of % is below 2^-57.
        size_t j = (size_t)(next(&state) % (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}
