#include "schedule.h"

#include <stdbool.h>
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

// Random order by Fisher-Yates, inside out; the bias of % is below 2^-57.
static void shuffle(uint64_t *state, size_t *order, size_t count, size_t first)
{
    for (size_t i = 0; i < count; i++) {
        const size_t j = (size_t)(next(state) % (i + 1));
        order[i] = order[j];
        order[j] = first + i;
    }
}

static void reverse(size_t *order, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const size_t last = order[count - 1 - i];
        order[count - 1 - i] = order[i];
        order[i] = last;
    }
}

void schedule_block(unsigned long seed, size_t block, size_t *order, size_t conditions,
                    size_t unloaded)
{
    const size_t pair = (block - 1) / 2;
    uint64_t state = seed;
    state = next(&state) + pair;
    const bool closes = next(&state) >> 63;
    order[0] = 0;
    if (unloaded > 1) // the only one takes no random number
        shuffle(&state, order, unloaded, 0);
    shuffle(&state, order + unloaded, conditions - unloaded, unloaded);
    if (closes)
        reverse(order, conditions);
    if (block - 1 > 2 * pair)
        reverse(order, conditions);
}
