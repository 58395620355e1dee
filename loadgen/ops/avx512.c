/* loadgen ops with vectors of 64 bytes: AVX-512. */

#if defined(__x86_64__)
#pragma GCC target("avx512f,avx512bw,prefer-vector-width=512")

#define BYTES 64
#define TABLE ops_avx512
#include "ops/vector.h"
#else
#include "ops/kernels.h"

#include <stddef.h>

const struct ops_kernel *ops_avx512(void)
{
    return NULL;
}
#endif
