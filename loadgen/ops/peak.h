#ifndef LOADGEN_OPS_PEAK_H
#define LOADGEN_OPS_PEAK_H

/* What the processor could do at most. */

#include "ops/kernels.h"

#include <stddef.h>

struct run;

struct ops_peak {
    double per_cycle;  /* operations a cycle of all cores that the load uses; NAN: not known */
    char source[1024]; /* each factor but the clock, and where it is from; or why it is unknown */
};

/* Of a kernel on the CPUs that the workers of the run are given. Two of one core (SMT) count
 * once, and no more than the cgroup's quota. */
void ops_peak_find(const struct run *run, const struct ops_kernel *kernel, enum simd simd,
                   struct ops_peak *peak);

#endif
