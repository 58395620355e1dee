#include "common/adds.h"

void adds_run(size_t adds)
{
    unsigned long sum = 0, step = 1;
    /* Out of sight of the compiler, or it would multiply; and in a register: some CPUs (Golden
     * Cove) do additions of a constant when they rename registers, in no time. */
    __asm__ volatile("" : "+r"(step));
    for (size_t i = 0; i < adds; i += 16) {
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++) {
            sum += step;
            __asm__ volatile("" : "+r"(sum));
        }
    }
}
