#ifndef COMMON_PROCESSOR_H
#define COMMON_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>

// Which vectors this processor computes with.

// By architecture from the widest to the narrowest, then none. portable: what the compiler makes
// of 16 bytes on any machine.
enum simd {
    SIMD_AVX512,
    SIMD_AVX2,
    SIMD_SSE2,
    SIMD_SVE,
    SIMD_NEON,
    SIMD_PORTABLE,
    SIMD_SCALAR,
    SIMDS
};

extern const char *const simd_names[]; // by enum simd, ended by NULL

// Files that need SVE are built where the compiler has it: GCC 10 and later.
#if defined(__aarch64__) && !defined(__clang__) && __has_include(<arm_sve.h>)
#define PROCESSOR_BUILDS_SVE
#endif

// Whether this CPU, its operating system, and this build have it; sse2 and up are of x86 alone, sve
// and neon of aarch64. AVX2 means that with FMA.
bool processor_has(enum simd simd);
// The same, and none that comes later is as wide: SVE may be no wider than NEON, which then needs
// fewer instructions for memory (pairs).
bool processor_gains(enum simd simd);
// Bytes of a vector; 0: no vectors, or SVE that is not there.
unsigned processor_vector_bytes(enum simd simd);
// FMA without vectors.
bool processor_has_fma(void);
// Half precision arithmetic in AVX-512, SVE or NEON; F16C only converts.
bool processor_has_half(void);
// The widest that it has.
enum simd processor_widest(void);

// Dependent loads in random order: the latency of whatever holds the memory. One pointer in
// each cache line; each load needs the one before, so that nothing overlaps and no prefetcher
// can guess the next.

#define CHASE_LINE_BYTES 64

// Links the lines at memory (at a multiple of CHASE_LINE_BYTES) into one ring in random order
// (Sattolo's algorithm); the memory is written for the first time here.
void chase_link(void *memory, size_t lines, unsigned seed);

// So many dependent loads, a multiple of 16, from *at on; returns where it is.
void **chase_run(void **at, size_t loads);

#endif
