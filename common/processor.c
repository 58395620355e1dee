#include "common/processor.h"

#include <stddef.h>

const char *const simd_names[] = {"avx512", "avx2", "sse2", "portable", "scalar", NULL};

#if defined(__x86_64__)
#include <cpuid.h>

/* The compiler's own test asks the operating system, too (XGETBV). */
bool processor_has(enum simd simd)
{
    __builtin_cpu_init();
    switch (simd) {
    case SIMD_AVX512: /* of integers of 8 and 16 bits, too */
        return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    case SIMD_AVX2:
        return __builtin_cpu_supports("avx2") != 0 && processor_has_fma();
    default:
        return true;
    }
}

bool processor_has_fma(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
}

/* AVX512-FP16 is bit 23 of EDX of CPUID 7.0 (Intel SDM, volume 2A, CPUID). */
bool processor_has_half(void)
{
    unsigned a, b, c, d;
    return processor_has(SIMD_AVX512) && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (d >> 23 & 1) != 0;
}
#else
bool processor_has(enum simd simd)
{
    return simd == SIMD_PORTABLE || simd == SIMD_SCALAR;
}

bool processor_has_fma(void)
{
    return false;
}

bool processor_has_half(void)
{
    return false;
}
#endif

enum simd processor_widest(void)
{
    enum simd simd = SIMD_AVX512;
    while (!processor_has(simd))
        simd++;
    return simd;
}
