#ifndef COMMON_PROCESSOR_H
#define COMMON_PROCESSOR_H

/* Which vectors this processor computes with. */

#include <stdbool.h>

/* From the widest to none. portable: what the compiler makes of 16 bytes on any machine. */
enum simd { SIMD_AVX512, SIMD_AVX2, SIMD_SSE2, SIMD_PORTABLE, SIMD_SCALAR, SIMDS };

extern const char *const simd_names[]; /* by enum simd, ended by NULL */

/* Whether this CPU and its operating system have it; sse2 and up are of x86 alone. AVX2 means
 * that with FMA. */
bool processor_has(enum simd simd);
/* FMA without vectors. */
bool processor_has_fma(void);
/* Half precision arithmetic in AVX-512; F16C only converts. */
bool processor_has_half(void);
/* The widest that it has. */
enum simd processor_widest(void);

#endif
