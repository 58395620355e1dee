#include "mem/plateau.h"

#define STILL_RISING 0.95 /* of the latency at the largest size */

uint64_t edge_of(const struct edge_point *point, size_t count)
{
    size_t first = count;
    if (count < 2)
        return 0;
    while (first > 0 && point[first - 1].ns_per_load >= STILL_RISING * point[count - 1].ns_per_load)
        first--;
    return first + 1 < count ? point[first].bytes : 0;
}
