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

/* Where every CPU of the architecture has FMA, plain code has it, too. */
static const struct ops_kernel *table_of(enum simd simd, enum ops_type type)
{
    typedef const struct ops_kernel *table(void);
    static table *const half[SIMDS] = {
        [SIMD_AVX512] = ops_avx512_half, [SIMD_SVE] = ops_sve, [SIMD_NEON] = ops_neon_half};
    static table *const others[SIMDS] = {
        [SIMD_AVX512] = ops_avx512, [SIMD_AVX2] = ops_avx2, [SIMD_SSE2] = ops_sse2,
        [SIMD_SVE] = ops_sve,       [SIMD_NEON] = ops_neon, [SIMD_PORTABLE] = ops_portable,
        [SIMD_SCALAR] = ops_scalar};
    table *of = (type == OPS_HALF ? half : others)[simd];
    if (type == OPS_HALF && !processor_has_half())
        return NULL;
    if (of == ops_scalar && ops_scalar_fma != NULL && processor_has_fma())
        of = ops_scalar_fma;
    return of == NULL ? NULL : of();
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
