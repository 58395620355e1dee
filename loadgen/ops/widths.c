// loadgen ops's kernels for each width of vectors that has a fixed length: ops/vector.h makes them.
// Kernels that a CPU lacks are built all the same: ops_kernel_of() says which may be called.

#include "ops/widths.h"

#include <string.h>

#if defined(__x86_64__)

// AVX-512.
#pragma GCC push_options
#if defined(__clang__) || __GNUC__ >= 10
#pragma GCC target("avx512f,avx512bw,prefer-vector-width=512")
#else // do not know that as an attribute; vectors of 64 bytes are ZMM registers there, too
#pragma GCC target("avx512f,avx512bw")
#endif
#define TABLE ops_avx512
#define BYTES 64
#include "ops/vector.h"
#pragma GCC pop_options

// AVX512-FP16, which compilers know since GCC 12 and Clang 14.
#if (defined(__clang__) && __clang_major__ >= 14) || (!defined(__clang__) && __GNUC__ >= 12)
#pragma GCC push_options
#pragma GCC target("avx512fp16,prefer-vector-width=512")
#define OPS_AVX512_HALF
#define TABLE ops_avx512_half
#define BYTES 64
#define HALF
#include "ops/vector.h"
#pragma GCC pop_options
#endif

// AVX2 and FMA.
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define TABLE ops_avx2
#define BYTES 32
#include "ops/vector.h"
#pragma GCC pop_options

// SSE2, which every x86-64 has. It has no FMA.
#define TABLE ops_sse2
#define BYTES 16
#include "ops/vector.h"

// Without vectors, with FMA.
#pragma GCC push_options
#pragma GCC target("fma")
#define TABLE ops_scalar_fma
#define BYTES 0
#include "ops/vector.h"
#pragma GCC pop_options

#elif defined(__aarch64__)
#include <arm_neon.h>

// NEON, which every aarch64 has. FMLA adds to one of its operands: value * factor + step would
// need a copy of step before each.
#define TABLE ops_neon
#define BYTES 16
#define FUSED(value, factor, step)                                                                 \
    __builtin_choose_expr(                                                                         \
        sizeof((value)[0]) == sizeof(double),                                                      \
        (vector)vfmaq_f64((float64x2_t)(value), (float64x2_t)(factor), (float64x2_t)(step)),       \
        (vector)vfmaq_f32((float32x4_t)(value), (float32x4_t)(factor), (float32x4_t)(step)))
#include "ops/vector.h"

// FEAT_FP16 of Armv8.2.
#if !defined(__clang__)
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+fp16")
#define OPS_NEON_HALF
#define TABLE ops_neon_half
#define BYTES 16
#define HALF
#define FUSED(value, factor, step)                                                                 \
    ((vector)vfmaq_f16((float16x8_t)(value), (float16x8_t)(factor), (float16x8_t)(step)))
#include "ops/vector.h"
#pragma GCC pop_options
#endif
#endif

// Any machine: what the compiler makes of vectors of 16 bytes, and of none.
#define TABLE ops_portable
#define BYTES 16
#include "ops/vector.h"
#define TABLE ops_scalar
#define BYTES 0
#include "ops/vector.h"

#ifdef PROCESSOR_BUILDS_SVE
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+sve")
#include <arm_sve.h>
#define TABLE ops_sve
#define BYTES 256
#define SVE
#include "ops/vector.h"
#pragma GCC pop_options
#endif

// ---- which of them this machine can run ----

const char *const ops_type_names[] = {"int8", "int16",  "int32",  "int64",
                                      "half", "single", "double", NULL};

unsigned ops_type_bytes(enum ops_type type)
{
    static const unsigned bytes[] = {1, 2, 4, 8, 2, 4, 8};
    return bytes[type];
}

// All but SVE have a table of their own for half precision. Where every CPU of the architecture has
// FMA, plain code has it, too.
static const struct ops_kernel *table_of(enum simd simd, enum ops_type type)
{
    static const struct ops_kernel *const half[SIMDS] = {
#ifdef OPS_AVX512_HALF
        [SIMD_AVX512] = ops_avx512_half,
#endif
#ifdef OPS_NEON_HALF
        [SIMD_NEON] = ops_neon_half,
#endif
#ifdef PROCESSOR_BUILDS_SVE
        [SIMD_SVE] = ops_sve,
#endif
    };
    static const struct ops_kernel *const others[SIMDS] = {
#if defined(__x86_64__)
        [SIMD_AVX512] = ops_avx512,
        [SIMD_AVX2] = ops_avx2,
        [SIMD_SSE2] = ops_sse2,
#elif defined(__aarch64__)
        [SIMD_NEON] = ops_neon,
#endif
#ifdef PROCESSOR_BUILDS_SVE
        [SIMD_SVE] = ops_sve,
#endif
        [SIMD_PORTABLE] = ops_portable,
        [SIMD_SCALAR] = ops_scalar
    };
#if defined(__x86_64__)
    if (simd == SIMD_SCALAR && type != OPS_HALF && processor_has_fma())
        return ops_scalar_fma;
#endif
    if (type == OPS_HALF)
        return processor_has_half() ? half[simd] : NULL;
    return others[simd];
}

struct ops_kernel ops_kernel_of(enum simd simd, enum ops_type type)
{
    const struct ops_kernel *table = processor_has(simd) ? table_of(simd, type) : NULL;
    struct ops_kernel kernel = table ? table[type] : (struct ops_kernel){0};
    const unsigned bytes = processor_vector_bytes(simd);
    kernel.lanes = bytes > 0 ? bytes / ops_type_bytes(type) : 1;
    kernel.block *= kernel.lanes;
    return kernel;
}

enum simd ops_widest(enum ops_type type)
{
    enum simd simd = SIMD_AVX512;
    while (simd < SIMDS && (!processor_gains(simd) || !ops_kernel_of(simd, type).run))
        simd++;
    return simd;
}
