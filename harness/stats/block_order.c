// Orders the conditions of each block at random.
#include "block_order.h"

#include <stdint.h>

// Which condition comes when: every block has each once, in random order.
//
// In each block the loaded conditions have a new random order, and the first condition, which is
// the baseline, opens or closes it by a coin. So whatever the machine does, also what comes back
// every third, fourth or fifth run, adds to the ratios of some blocks and is taken from those of
// others by chance alone. (Blocks of which each second one was the mirror image of the first did so
// in pairs, and every fourth run was beside the same condition for as long as their coins agreed.)
// The baseline follows an unloaded run (itself) at one in four of the borders between blocks,
// whatever the number of loads. With all orders equally likely it would do so in one block of
// (number of conditions)^2, which is too rare to see a carry-over (decide.h).
// Where a service is started anew for each block, the second of two blocks opens where the first
// closes: what is slow after a start comes to both sides of the ratios equally often, not only by
// chance. With variants the unloaded conditions, one of each, take the baseline's place as a group,
// in random order: the variants are compared alone with at most as many runs between them,
// and at most one of them follows a loaded run in a block.

// S. Vigna, https://prng.di.unimi.it/splitmix64.c (public domain):
// seeding one of GSL's generators anew for each block would cost more than the
// few numbers that a block needs.
static uint64_t splitmix64(uint64_t *state)
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
        const size_t j = (size_t)(splitmix64(state) % (i + 1));
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

void block_order(unsigned long seed, size_t block, size_t *order, size_t conditions,
                 size_t unloaded, bool balanced)
{
    uint64_t state = seed;
    const uint64_t first = splitmix64(&state);
    state = first + block;
    bool closes = splitmix64(&state) >> 63;
    if (balanced && block % 2 == 0) {
        uint64_t before = first + block - 1;
        closes = !(splitmix64(&before) >> 63);
    }
    order[0] = 0;
    if (unloaded > 1) // the only one takes no random number
        shuffle(&state, order, unloaded, 0);
    shuffle(&state, order + unloaded, conditions - unloaded, unloaded);
    if (closes)
        reverse(order, conditions);
}
