#ifndef LOADGEN_MEM_KERNEL_H
#define LOADGEN_MEM_KERNEL_H

/* The kernels of loadgen mem. Bytes are counted as STREAM counts them (J. D.
 * McCalpin, stream.c): what the program reads and writes, 8 bytes an element of
 * each array. What a cache reads of a line before it is written (write-allocate)
 * is not counted; non-temporal stores do without it. */

#include <stdbool.h>
#include <stddef.h>

enum mem_kernel {
    MEM_COPY,   /* a = b */
    MEM_SCALE,  /* a = s b */
    MEM_ADD,    /* a = b + c */
    MEM_TRIAD,  /* a = b + s c */
    MEM_READ,   /* sum of a */
    MEM_WRITE,  /* a = s */
    MEM_CHASE,  /* a[next] in random order: each load needs the one before */
    MEM_STREAM, /* copy, scale, add and triad in turn, as STREAM runs them */
    MEM_KERNELS
};

enum mem_simd { MEM_AVX512, MEM_AVX2, MEM_SSE2, MEM_SVE, MEM_NEON, MEM_PORTABLE, MEM_SIMDS };

/* All streaming kernels work on whole blocks of so many elements. */
#define MEM_BLOCK      64
#define MEM_LINE_BYTES 64

/* count: a multiple of MEM_BLOCK; all arrays at multiples of 64 bytes; s is the scalar of
 * scale, triad and write. Returns the sum of what MEM_READ has read, else 0. */
typedef double mem_run(double *restrict a, const double *restrict b, const double *restrict c,
                       size_t count, double s);

struct mem_table {
    mem_run *cached[MEM_CHASE];       /* by enum mem_kernel */
    mem_run *non_temporal[MEM_CHASE]; /* NULL: it has no such stores */
};

/* widths.c, sve.c. Weak: those that are not built for this kind of machine are not there. */
#define MEM_BUILT(NAME) const struct mem_table *NAME(void) __attribute__((weak))
MEM_BUILT(mem_avx512);
MEM_BUILT(mem_avx2);
MEM_BUILT(mem_sse2);
MEM_BUILT(mem_sve); /* of whatever length this process has */
MEM_BUILT(mem_neon);
MEM_BUILT(mem_portable);

/* ---- sweep.c ---- */

extern const char *const mem_kernel_names[]; /* ended by NULL */
extern const char *const mem_simd_names[];   /* by enum mem_simd, ended by NULL */
/* Whether this CPU, its operating system, and this build have it. */
bool mem_simd_works(enum mem_simd simd);
enum mem_simd mem_simd_best(void);
/* NULL: not built for this kind of machine. */
const struct mem_table *mem_simd_table(enum mem_simd simd);
/* Arrays that a kernel uses, of the same size. */
unsigned mem_kernel_arrays(enum mem_kernel kernel);
/* Has stores that can be non-temporal. */
bool mem_kernel_stores(enum mem_kernel kernel);

#endif
