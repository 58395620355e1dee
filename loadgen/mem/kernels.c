// The kernels of loadgen mem: their names, their arrays, and which vectors this machine can run.

#include "mem/mem.h"

const char *const mem_kernel_names[] = {"copy",  "scale", "add",    "triad", "read",
                                        "write", "chase", "stream", NULL};

bool mem_simd_works(enum simd simd)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (simd == SIMD_AVX512) // of doubles: all that have it will do
        return __builtin_cpu_supports("avx512f") != 0;
#endif
    return mem_simd_table(simd) && processor_has(simd);
}

enum simd mem_simd_best(void)
{
    enum simd simd = SIMD_AVX512;
    while (simd < SIMD_PORTABLE &&
           (!mem_simd_works(simd) || (simd == SIMD_SVE && !processor_gains(simd))))
        simd++;
    return simd;
}

unsigned mem_kernel_arrays(enum mem_kernel kernel)
{
    static const unsigned char arrays[MEM_KERNELS] = {
        [MEM_COPY] = 2, [MEM_SCALE] = 2, [MEM_ADD] = 3,   [MEM_TRIAD] = 3,
        [MEM_READ] = 1, [MEM_WRITE] = 1, [MEM_CHASE] = 1, [MEM_STREAM] = 3};
    return arrays[kernel];
}
