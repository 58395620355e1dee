/* Which of the kernels this machine can run. */

#include "mem/kernels.h"

#include "common/processor.h"

const char *const mem_kernel_names[] = {"copy",  "scale", "add",    "triad", "read",
                                        "write", "chase", "stream", NULL};
const char *const mem_simd_names[] = {"avx512", "avx2", "sse2", "sve", "neon", "portable", NULL};

const struct mem_table *mem_simd_table(enum mem_simd simd)
{
    static const struct mem_table *(*const built[])(void) = {
        [MEM_AVX512] = mem_avx512, [MEM_AVX2] = mem_avx2, [MEM_SSE2] = mem_sse2,
        [MEM_SVE] = mem_sve,       [MEM_NEON] = mem_neon, [MEM_PORTABLE] = mem_portable};
    return built[simd] == NULL ? NULL : built[simd]();
}

#if defined(__x86_64__)
/* The compiler's own test asks the operating system, too (XGETBV). */
static bool cpu_has(enum mem_simd simd)
{
    __builtin_cpu_init();
    switch (simd) {
    case MEM_AVX512:
        return __builtin_cpu_supports("avx512f") != 0;
    case MEM_AVX2:
        return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    default:
        return true;
    }
}
#else
static bool cpu_has(enum mem_simd simd)
{
    return simd == MEM_SVE ? processor_has(SIMD_SVE) : true;
}
#endif

bool mem_simd_works(enum mem_simd simd)
{
    return mem_simd_table(simd) != NULL && cpu_has(simd);
}

enum mem_simd mem_simd_best(void)
{
    enum mem_simd simd = MEM_AVX512;
    while (simd < MEM_PORTABLE &&
           (!mem_simd_works(simd) || (simd == MEM_SVE && !processor_gains(SIMD_SVE))))
        simd++;
    return simd;
}

unsigned mem_kernel_arrays(enum mem_kernel kernel)
{
    switch (kernel) {
    case MEM_ADD:
    case MEM_TRIAD:
    case MEM_STREAM:
        return 3;
    case MEM_COPY:
    case MEM_SCALE:
        return 2;
    default:
        return 1;
    }
}

bool mem_kernel_stores(enum mem_kernel kernel)
{
    return kernel != MEM_READ && kernel != MEM_CHASE;
}
