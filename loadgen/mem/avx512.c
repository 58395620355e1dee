/* loadgen mem with vectors of 64 bytes: AVX-512. */

#if defined(__x86_64__)
#pragma GCC target("avx512f")

#include <immintrin.h>

#define BYTES              64
#define STREAM(to, vector) _mm512_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#define TABLE              mem_avx512
#include "mem/vector.h"
#endif
