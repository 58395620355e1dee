#ifndef LOADGEN_KERNEL_H
#define LOADGEN_KERNEL_H

/* Work for one execution unit of a CPU, that no compiler can leave out. */

#include <stdint.h>

enum kernel { KERNEL_INT, KERNEL_FLOAT, KERNEL_DOUBLE, KERNEL_MIXED };

/* What a kernel carries from call to call. */
struct kernel_state {
    uint64_t integers[4];
    float floats[4];
    double doubles[4];
};

void kernel_init(struct kernel_state *state);
/* rounds: some nanoseconds each; the caller measures how long they take. */
void kernel_run(enum kernel kernel, struct kernel_state *state, uint64_t rounds);

#endif
