/* Which of the kernels this machine can run. */

#include "ops/kernels.h"

#include <stddef.h>

const char *const ops_type_names[] = {"int8", "int16",  "int32",  "int64",
                                      "half", "single", "double", NULL};

unsigned ops_type_bytes(enum ops_type type)
{
    static const unsigned bytes[] = {1, 2, 4, 8, 2, 4, 8};
    return bytes[type];
}

static const struct ops_kernel *half_of(enum simd simd)
{
    if (!processor_has_half())
        return NULL;
    switch (simd) {
    case SIMD_AVX512:
        return ops_avx512_half();
    case SIMD_SVE:
        return ops_sve();
    case SIMD_NEON:
        return ops_neon_half();
    default:
        return NULL;
    }
}

/* Where every CPU of the architecture has FMA, plain code has it, too. */
static const struct ops_kernel *without_vectors(void)
{
    const struct ops_kernel *fma = processor_has_fma() ? ops_scalar_fma() : NULL;
    return fma != NULL ? fma : ops_scalar();
}

static const struct ops_kernel *table_of(enum simd simd, enum ops_type type)
{
    if (type == OPS_HALF)
        return half_of(simd);
    switch (simd) {
    case SIMD_AVX512:
        return ops_avx512();
    case SIMD_AVX2:
        return ops_avx2();
    case SIMD_SSE2:
        return ops_sse2();
    case SIMD_SVE:
        return ops_sve();
    case SIMD_NEON:
        return ops_neon();
    case SIMD_PORTABLE:
        return ops_portable();
    default:
        return without_vectors();
    }
}

const struct ops_kernel *ops_kernel_of(enum simd simd, enum ops_type type)
{
    const struct ops_kernel *table = processor_has(simd) ? table_of(simd, type) : NULL;
    return table == NULL || table[type].run == NULL ? NULL : &table[type];
}

enum simd ops_widest(enum ops_type type)
{
    enum simd simd = SIMD_AVX512;
    while (simd < SIMDS && (!processor_gains(simd) || ops_kernel_of(simd, type) == NULL))
        simd++;
    return simd;
}
