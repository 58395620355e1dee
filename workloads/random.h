#ifndef WORKLOADS_RANDOM_H
#define WORKLOADS_RANDOM_H

#include <stdint.h>

// The next number of splitmix64 (Steele, Lea, Flood 2014): all 64 bits random,
// the same on every machine for the same first STATE.
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
