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

static const struct ops_kernel *table_of(enum simd simd, enum ops_type type)
{
    if (type == OPS_HALF)
        return simd == SIMD_AVX512 && processor_has_half() ? ops_avx512_half() : NULL;
    switch (simd) {
    case SIMD_AVX512:
        return ops_avx512();
    case SIMD_AVX2:
        return ops_avx2();
    case SIMD_SSE2:
        return ops_sse2();
    case SIMD_PORTABLE:
        return ops_portable();
    default:
        return processor_has_fma() ? ops_scalar_fma() : ops_scalar();
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
    while (simd < SIMDS && ops_kernel_of(simd, type) == NULL)
        simd++;
    return simd;
}
