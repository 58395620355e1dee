/* loadgen ops in half precision with vectors of 64 bytes: AVX512-FP16, which compilers know
 * since GCC 12 and Clang 14. */

#if defined(__x86_64__) &&                                                                         \
    ((defined(__clang__) && __clang_major__ >= 14) || (!defined(__clang__) && __GNUC__ >= 12))
#pragma GCC target("avx512fp16,prefer-vector-width=512")

#define BYTES 64
#define HALF
#define TABLE ops_avx512_half
#include "ops/vector.h"
#endif
