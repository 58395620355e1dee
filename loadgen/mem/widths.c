// loadgen mem's kernels for each width of vectors that has a fixed length: mem/vector.h makes them.
// Kernels that a CPU lacks are built all the same: mem_simd_works() says which may be called.

#include "mem/mem.h"

#if defined(__x86_64__)
#include <immintrin.h>

// AVX-512.
#pragma GCC push_options
#pragma GCC target("avx512f")
#define TABLE              mem_avx512
#define BYTES              64
#define STREAM(to, vector) _mm512_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#include "mem/vector.h"
#pragma GCC pop_options

// AVX2 with FMA.
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define TABLE              mem_avx2
#define BYTES              32
#define STREAM(to, vector) _mm256_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#include "mem/vector.h"
#pragma GCC pop_options

// SSE2, which each x86-64 has.
#define TABLE              mem_sse2
#define BYTES              16
#define STREAM(to, vector) _mm_stream_pd((to), (vector))
#define FENCE()            _mm_sfence()
#include "mem/vector.h"

#elif defined(__aarch64__)
// NEON, which every aarch64 has. The non-temporal store is
// STNP, of two vectors: a hint that the line is not needed soon, which a core may take or leave. It
// needs no fence: barriers and releases order it as any other store (Arm Architecture Reference
// Manual, "Load/Store Non-temporal Pair"). DC ZVA, which gets a line without reading it, is
// no such store: it puts zeros into the cache, and the values would be written there.
//
// GCC 12 makes single loads and stores of half of a copy's; not where it is told to store two.
struct two {
    double value[4];
};

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
#define BYTES                         16
#include "mem/vector.h"
#endif

// Any machine: what the compiler makes of vectors of 16 bytes, and no non-temporal stores.
#define TABLE mem_portable
#define BYTES 16
#include "mem/vector.h"

#ifdef PROCESSOR_BUILDS_SVE
// 16 to 256 bytes. The non-temporal store is STNT1D. Last: the widths before it have other macros.
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+sve")
#include <arm_sve.h>
#define TABLE mem_sve
#define SVE
#include "mem/vector.h"
#pragma GCC pop_options
#endif

const struct mem_table *mem_simd_table(enum simd simd)
{
    static const struct mem_table *const built[SIMDS] = {
#if defined(__x86_64__)
        [SIMD_AVX512] = &mem_avx512,
        [SIMD_AVX2] = &mem_avx2,
        [SIMD_SSE2] = &mem_sse2,
#elif defined(__aarch64__)
        [SIMD_NEON] = &mem_neon,
#endif
#ifdef PROCESSOR_BUILDS_SVE
        [SIMD_SVE] = &mem_sve,
#endif
        [SIMD_PORTABLE] = &mem_portable
    };
    return built[simd];
}
