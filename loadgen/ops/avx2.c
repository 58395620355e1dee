/* loadgen ops with vectors of 32 bytes: AVX2 and FMA. */

#if defined(__x86_64__)
#pragma GCC target("avx2,fma")

#define BYTES 32
#define TABLE ops_avx2
#include "ops/vector.h"
#endif
