// loadgen mem's kernels for each width of vectors that has a fixed length: mem/vector.h makes them.
// Those that a CPU lacks are built all the same: mem_simd_works() says which may be called.

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
// The vectors of SVE, whose length only the machine knows: 16 to 256 bytes. The non-temporal store
// is STNT1D. As mem/vector.h, but that its vectors have no fixed length. Last, as the target stays.
#undef B
#undef C
#undef JOIN
#undef KERNEL
#pragma GCC target("arch=armv8.2-a+sve")

#include <arm_sve.h>

#define B svld1_vnum_f64(which, b + i, k)
#define C svld1_vnum_f64(which, c + i, k)

// Vector k of those that begin at element i, of which `which` says what lanes count.
#define ONE(K, PUT, EXPRESSION)                                                                    \
    {                                                                                              \
        const int64_t k = (K);                                                                     \
        PUT(which, a + i, k, EXPRESSION);                                                          \
    }

// Four vectors a turn; a block is not always whole turns of the longest ones.
#define KERNEL(NAME, PUT, EXPRESSION)                                                              \
    static double NAME(double *restrict a, const double *restrict b, const double *restrict c,     \
                       size_t count, double scalar)                                                \
    {                                                                                              \
        const size_t width = svcntd();                                                             \
        const svfloat64_t s = svdup_f64(scalar);                                                   \
        svbool_t which = svptrue_b64();                                                            \
        size_t i = 0;                                                                              \
        (void)s, (void)b, (void)c;                                                                 \
        for (; i + 4 * width <= count; i += 4 * width) {                                           \
            ONE(0, PUT, EXPRESSION)                                                                \
            ONE(1, PUT, EXPRESSION)                                                                \
            ONE(2, PUT, EXPRESSION)                                                                \
            ONE(3, PUT, EXPRESSION)                                                                \
        }                                                                                          \
        for (; i < count; i += width) {                                                            \
            which = svwhilelt_b64(i, count);                                                       \
            ONE(0, PUT, EXPRESSION)                                                                \
        }                                                                                          \
        return 0;                                                                                  \
    }

KERNEL(copy, svst1_vnum_f64, B)
KERNEL(scale, svst1_vnum_f64, svmul_f64_x(which, B, s))
KERNEL(add, svst1_vnum_f64, svadd_f64_x(which, B, C))
KERNEL(triad, svst1_vnum_f64, svmla_f64_x(which, B, C, s))
KERNEL(write_all, svst1_vnum_f64, s)
KERNEL(stream_copy, svstnt1_vnum_f64, B)
KERNEL(stream_scale, svstnt1_vnum_f64, svmul_f64_x(which, B, s))
KERNEL(stream_add, svstnt1_vnum_f64, svadd_f64_x(which, B, C))
KERNEL(stream_triad, svstnt1_vnum_f64, svmla_f64_x(which, B, C, s))
KERNEL(stream_write, svstnt1_vnum_f64, s)

#define EACH_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define ZERO(n)    svfloat64_t sum##n = svdup_f64(0);
#define SUM(n)     sum##n = svadd_f64_x(all, sum##n, svld1_vnum_f64(all, a + i, n));
#define JOIN(x, y) svadd_f64_x(all, x, y)

// Eight sums, so that no addition waits for the one before.
static double read_all(double *restrict a, const double *restrict b, const double *restrict c,
                       size_t count, double scalar)
{
    const size_t width = svcntd();
    const svbool_t all = svptrue_b64();
    size_t i = 0;
    (void)b, (void)c, (void)scalar;
    EACH_8(ZERO)
    for (; i + 8 * width <= count; i += 8 * width) {
        EACH_8(SUM)
    }
    for (; i < count; i += width) {
        const svbool_t which = svwhilelt_b64(i, count);
        sum0 = svadd_f64_m(which, sum0, svld1_f64(which, a + i));
    }
    return svaddv_f64(all, JOIN(JOIN(JOIN(sum0, sum1), JOIN(sum2, sum3)),
                                JOIN(JOIN(sum4, sum5), JOIN(sum6, sum7))));
}

const struct mem_table *mem_sve(void)
{
    static const struct mem_table table = {
        .cached = {[MEM_COPY] = copy,
                   [MEM_SCALE] = scale,
                   [MEM_ADD] = add,
                   [MEM_TRIAD] = triad,
                   [MEM_READ] = read_all,
                   [MEM_WRITE] = write_all},
        .non_temporal = {[MEM_COPY] = stream_copy,
                         [MEM_SCALE] = stream_scale,
                         [MEM_ADD] = stream_add,
                         [MEM_TRIAD] = stream_triad,
                         [MEM_WRITE] = stream_write},
    };
    return &table;
}
#endif
