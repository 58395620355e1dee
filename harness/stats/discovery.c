#include "discovery.h"

#include <math.h>

void discovery_rates(const double *p, double *q, size_t count)
{
    double least = 1;
    // The step up: what a larger p allows, a smaller one does, too.
    for (size_t i = count; i-- > 0;) {
        least = fmin(least, p[i] * (double)count / (double)(i + 1));
        q[i] = least;
    }
}
