/* loadgen mem with vectors of 16 bytes: SSE2, which each x86-64 has. */

#if defined(__x86_64__)
#pragma GCC target("sse2")

#include <immintrin.h>

#define BYTES              16
#define STREAM(to, vector) _mm_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#define TABLE              mem_sse2
#include "mem/vector.h"
#endif
