#ifndef COMMON_PROCESSOR_H
#define COMMON_PROCESSOR_H

/* What the arithmetic of this processor is: which vectors it has, and how many instructions a
 * cycle it can start, from which a theoretical peak follows. */

#include <stdbool.h>
#include <stddef.h>

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

/* What a kernel repeats. */
enum step {
    STEP_ADD,         /* an integer addition: one instruction */
    STEP_FMA,         /* x * a + b in one instruction */
    STEP_MULTIPLY_ADD /* in two */
};

/* How many steps a cycle a kind of processor can start, by vectors of 64, 32, 16 bytes, and
 * without. 0: it has no such instruction. */
struct ports {
    const char *name;   /* "AMD Zen 4" */
    const char *source; /* of the numbers */
    double add[4], fma[4];
    double multiply_add; /* of 16 bytes or less */
};

/* The ports of this machine's CPUs by vendor, family and model in /proc/cpuinfo (below
 * JOSTLE_KERNEL_ROOT). NULL: not in the table, and reason says what it is. */
const struct ports *processor_ports(char *reason, size_t size);
/* Steps a cycle; 0: not known, as of what a compiler makes. */
double ports_steps(const struct ports *ports, enum simd simd, enum step step);

#endif
