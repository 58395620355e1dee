// Tells which vectors this processor computes with.
#include "common/processor.h"

#include "common/random.h"

const char *const simd_names[] = {"avx512", "avx2",     "sse2",   "sve",
                                  "neon",   "portable", "scalar", NULL};

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>

// The compiler's own test asks the operating system, too (XGETBV).
bool processor_has(enum simd simd)
{
    __builtin_cpu_init();
    switch (simd) {
    case SIMD_AVX512: // of integers of 8 and 16 bits, too
        return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    case SIMD_AVX2:
        return __builtin_cpu_supports("avx2") != 0 && processor_has_fma();
    case SIMD_SVE:
    case SIMD_NEON:
        return false;
    default:
        return true;
    }
}

bool processor_has_fma(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma") != 0;
}

// AVX512-FP16 is bit 23 of EDX of CPUID 7.0 (Intel SDM, volume 2A, CPUID).
bool processor_has_half(void)
{
    unsigned a, b, c, d;
    return processor_has(SIMD_AVX512) && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
           (d >> 23 & 1) != 0;
}

static unsigned sve_bytes(void)
{
    return 0;
}

#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>

// The length that the operating system has set for this process (Linux
// Documentation/arch/arm64/sve.rst); the processor may have longer ones.
static unsigned sve_bytes(void)
{
#ifdef PROCESSOR_BUILDS_SVE
    const int length = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? prctl(PR_SVE_GET_VL) : -1;
    return length < 0 ? 0 : (unsigned)length & PR_SVE_VL_LEN_MASK;
#else
    return 0;
#endif
}

// All of aarch64's Linux has NEON.
bool processor_has(enum simd simd)
{
    return simd == SIMD_SVE ? sve_bytes() > 0 : simd >= SIMD_NEON;
}

bool processor_has_fma(void)
{
    return true;
}

bool processor_has_half(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0;
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

static unsigned sve_bytes(void)
{
    return 0;
}
#endif

unsigned processor_vector_bytes(enum simd simd)
{
    static const unsigned bytes[SIMDS] = {[SIMD_AVX512] = 64,
                                          [SIMD_AVX2] = 32,
                                          [SIMD_SSE2] = 16,
                                          [SIMD_NEON] = 16,
                                          [SIMD_PORTABLE] = 16};
    return simd == SIMD_SVE ? sve_bytes() : bytes[simd];
}

bool processor_gains(enum simd simd)
{
    return processor_has(simd) &&
           (simd != SIMD_SVE || sve_bytes() > processor_vector_bytes(SIMD_NEON));
}

enum simd processor_widest(void)
{
    enum simd simd = SIMD_AVX512;
    while (!processor_gains(simd))
        simd++;
    return simd;
}

struct cache_line {
    union {
        size_t index;
        void *next;
    };
    char rest[CHASE_LINE_BYTES - sizeof(void *)];
};

void chase_link(void *memory, size_t lines, unsigned seed)
{
    struct cache_line *line = memory;
    uint64_t state = 0x9E3779B97F4A7C15ull + seed;
    for (size_t i = 0; i < lines; i++)
        line[i].index = i;
    // Sattolo: as Fisher-Yates, but never with itself: one cycle of all.
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t j = random_below(&state, i);
        const size_t swap = line[i].index;
        line[i].index = line[j].index;
        line[j].index = swap;
    }
    for (size_t i = 0; i < lines; i++)
        line[i].next = &line[line[i].index];
}

void **chase_run(void **at, size_t loads)
{
    for (size_t i = 0; i < loads; i += 16) {
#pragma GCC unroll 16
        for (int k = 0; k < 16; k++)
            at = *at;
    }
    __asm__ volatile("" : "+r"(at)); // it is needed
    return at;
}
