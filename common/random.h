// Random numbers for data, sizes and offsets: fast, 64 bits, a state for each thread.
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 random_u128;

// wyrand (Wang Yi, wyhash final 4): passes BigCrush and PractRand; one
// multiplication for eight bytes. Any seed will do.
static inline uint64_t random_next(uint64_t *state)
{
    random_u128 product;

    *state += 0xa0761d6478bd642fULL;
    product = (random_u128)*state * (*state ^ 0xe7037ed1a0b428dbULL);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

// Evenly one of 0 ... count-1, for any 64-bit count (Lemire's multiplication;
// some values are likelier by count / 2^64 at most).
static inline uint64_t random_below(uint64_t *state, uint64_t count)
{
    return (uint64_t)(((random_u128)random_next(state) * count) >> 64);
}

// Fill memory with what no compressor can make smaller.
static inline void random_fill(uint64_t *state, uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = random_next(state);
}

#endif
