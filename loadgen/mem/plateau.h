#ifndef LOADGEN_MEM_PLATEAU_H
#define LOADGEN_MEM_PLATEAU_H

#include <stddef.h>
#include <stdint.h>

/* Latencies at growing sizes. */
struct edge_point {
    uint64_t bytes;
    double ns_per_load;
};

/* The smallest size from which on no latency is more than 5 % below that of the largest; 0: not
 * known, as latency rises up to the largest, or there are fewer than two. Loads
 * at random places of S bytes find a cache of C bytes with the chance C / S: where it is
 * ten times as fast as memory, that is at about 18 times C. */
uint64_t edge_of(const struct edge_point *point, size_t count);

#endif
