/* loadgen ops with vectors of 64 bytes: AVX-512. */

#if defined(__x86_64__)
#if defined(__clang__) || __GNUC__ >= 10
#pragma GCC target("avx512f,avx512bw,prefer-vector-width=512")
#else /* which do not know that as an attribute; vectors of 64 bytes are ZMM registers there, too  \
       */
#pragma GCC target("avx512f,avx512bw")
#endif

#define BYTES 64
#define TABLE ops_avx512
#include "ops/vector.h"
#endif
