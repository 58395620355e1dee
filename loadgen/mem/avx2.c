/* loadgen mem with vectors of 32 bytes: AVX2 with FMA. */

#if defined(__x86_64__)
#pragma GCC target("avx2,fma")

#include <immintrin.h>

#define BYTES              32
#define STREAM(to, vector) _mm256_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#define TABLE              mem_avx2
#include "mem/vector.h"
#endif
