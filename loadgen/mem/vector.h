/* The streaming kernels for one width of vectors. A file that defines
 *
 *     BYTES               of a vector
 *     STREAM(to, vector)  a non-temporal store, and FENCE() after the last; or neither
 *     TABLE               name of the function that returns the kernels
 *
 * and the target, includes this once. No include guard: it is a template.
 *
 * Four vectors a turn keep enough lines in flight; more gained nothing. */

#include "mem/kernels.h"

#define WIDTH (BYTES / sizeof(double))
#define TURN  (4 * WIDTH)
_Static_assert(MEM_BLOCK % (8 * WIDTH) == 0, "a block is whole turns");

typedef double vector __attribute__((vector_size(BYTES), may_alias));

#define LOAD(from)       (*(const vector *)(from))
#define STORE(to, value) (*(vector *)(to) = (value))
#define ALL(value)       ((vector){0} + (value))
#define DONE()           ((void)0)

/* One kernel: EXPRESSION of the vectors at b + i and c + i goes to a + i. */
#define KERNEL(NAME, PUT, EXPRESSION, END)                                                         \
    static double NAME(double *restrict a, const double *restrict b, const double *restrict c,     \
                       size_t count, double scalar)                                                \
    {                                                                                              \
        const vector s = ALL(scalar);                                                              \
        (void)s, (void)b, (void)c;                                                                 \
        for (size_t turn = 0; turn < count; turn += TURN) {                                        \
            _Pragma("GCC unroll 4") for (size_t k = 0; k < 4; k++)                                 \
            {                                                                                      \
                const size_t i = turn + k * WIDTH;                                                 \
                PUT(a + i, EXPRESSION);                                                            \
            }                                                                                      \
        }                                                                                          \
        END();                                                                                     \
        return 0;                                                                                  \
    }

#define B LOAD(b + i)
#define C LOAD(c + i)

KERNEL(copy, STORE, B, DONE)
KERNEL(scale, STORE, s *B, DONE)
KERNEL(add, STORE, B + C, DONE)
KERNEL(triad, STORE, B + s * C, DONE)
KERNEL(write_all, STORE, s, DONE)

#ifdef STREAM
KERNEL(stream_copy, STREAM, B, FENCE)
KERNEL(stream_scale, STREAM, s *B, FENCE)
KERNEL(stream_add, STREAM, B + C, FENCE)
KERNEL(stream_triad, STREAM, B + s * C, FENCE)
KERNEL(stream_write, STREAM, s, FENCE)
#endif

/* Eight sums, so that no addition waits for the one before; added up as a tree, so that
 * the end of a small block takes as little as it can. */
static double read_all(double *restrict a, const double *restrict b, const double *restrict c,
                       size_t count, double scalar)
{
    vector sum[8] = {{0}};
    double total = 0;
    (void)b, (void)c, (void)scalar;
    for (size_t turn = 0; turn < count; turn += 8 * WIDTH) {
#pragma GCC unroll 8
        for (size_t i = 0; i < 8; i++)
            sum[i] += LOAD(a + turn + i * WIDTH);
    }
    const vector all =
        ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    for (size_t lane = 0; lane < WIDTH; lane++)
        total += all[lane];
    return total;
}

const struct mem_table *TABLE(void)
{
    static const struct mem_table table = {
        .cached = {[MEM_COPY] = copy,
                   [MEM_SCALE] = scale,
                   [MEM_ADD] = add,
                   [MEM_TRIAD] = triad,
                   [MEM_READ] = read_all,
                   [MEM_WRITE] = write_all},
#ifdef STREAM
        .non_temporal = {[MEM_COPY] = stream_copy,
                         [MEM_SCALE] = stream_scale,
                         [MEM_ADD] = stream_add,
                         [MEM_TRIAD] = stream_triad,
                         [MEM_WRITE] = stream_write},
#endif
    };
    return &table;
}
