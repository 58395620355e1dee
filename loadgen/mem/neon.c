/* loadgen mem with vectors of 16 bytes: NEON, which every aarch64 has. The non-temporal store is
 * STNP, of two vectors: a hint that the line is not needed soon, which a core may take or leave. It
 * needs no fence: barriers and releases order it as any other store (Arm Architecture Reference
 * Manual, "Load/Store Non-temporal Pair"). DC ZVA, which gets a line without reading it, is
 * no such store: it puts zeros into the cache, and the values would be written there.
 *
 * GCC 12 makes single loads and stores of half of a copy's; not where it is told to store two. */

#if defined(__aarch64__)
#include <stddef.h>

struct two {
    double value[4];
};

#define BYTES 16
#define PUT_TWO(INSTRUCTION, to, first, second)                                                    \
    __extension__({                                                                                \
        const vector one = (first), other = (second);                                              \
        __asm__(INSTRUCTION " %q1, %q2, %0"                                                        \
                : "=Q"(*(struct two *)(void *)(to))                                                \
                : "w"(one), "w"(other));                                                           \
    })
#define STORE_TWO(to, first, second)  PUT_TWO("stp", to, first, second)
#define STREAM_TWO(to, first, second) PUT_TWO("stnp", to, first, second)
#define TABLE                         mem_neon
#include "mem/vector.h"
#endif
