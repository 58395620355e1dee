#ifndef COMMON_CHASE_H
#define COMMON_CHASE_H

// Dependent loads in random order: the latency of whatever holds the memory. One pointer in
// each cache line; each load needs the one before, so that nothing overlaps and no prefetcher
// can guess the next.

#include <stddef.h>

#define CHASE_LINE_BYTES 64

// Links the lines at memory (at a multiple of CHASE_LINE_BYTES) into one ring in random order
// (Sattolo's algorithm); the memory is written for the first time here.
void chase_link(void *memory, size_t lines, unsigned seed);

// So many dependent loads, a multiple of 16, from *at on; returns where it is.
void **chase_run(void **at, size_t loads);

#endif
