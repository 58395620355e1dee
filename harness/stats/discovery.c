// Finds which of many tests hold, although some succeed by chance.
#include "discovery.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    size_t at;
    double p;
};

static int by_p(const void *a, const void *b)
{
    const double one = ((const struct ranked *)a)->p, other = ((const struct ranked *)b)->p;
    return (one > other) - (one < other);
}

void discovery_rates(const double *p, double *q, size_t count)
{
    OWNED struct ranked *ranked = must(calloc(count + 1, sizeof *ranked));
    double least = 1;
    for (size_t i = 0; i < count; i++)
        ranked[i] = (struct ranked){i, p[i]};
    qsort(ranked, count, sizeof *ranked, by_p);
    // The step up: what a larger p allows, a smaller one does, too.
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, ranked[i].p * (double)count / (double)(i + 1));
        q[ranked[i].at] = least;
    }
}
