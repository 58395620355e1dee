// The streaming kernels for one width of vectors. Who defines
//
//     BYTES               of a vector
//     STREAM(to, vector)  a non-temporal store, and FENCE() after the last; or
//     STREAM_TWO(to, first, second)  one of two vectors in a row; or neither
//     STORE_TWO(to, first, second)   a store of two vectors, if the compiler needs to be told
//     TABLE               name of the table of the kernels
//     SVE                 in place of all but TABLE: vectors whose length only the machine knows
//
// and the target, includes this, which undefines it. No include guard: it is a template.
//
// Four vectors a turn keep enough lines in flight; more gained nothing.

// The functions of a table have its name in front of theirs.
#define JOIN(table, name)  table##_##name
#define UNDER(table, name) JOIN(table, name)
#define OWN(name)          UNDER(TABLE, name)

#ifndef SVE
#define WIDTH (BYTES / sizeof(double))
#define TURN  (4 * WIDTH)
_Static_assert(MEM_BLOCK % (8 * WIDTH) == 0, "a block is whole turns");

#define VECTOR     double __attribute__((vector_size(BYTES), may_alias))
#define LOAD(from) (*(const vector *)(from))
#ifndef STORE_TWO
#define STORE_TWO(to, first, second)                                                               \
    (*(vector *)(to) = (first), *(vector *)((to) + WIDTH) = (second))
#endif
#define ALL(value) ((vector){0} + (value))
#define DONE()     ((void)0)
#ifdef STREAM
#define STREAM_TWO(to, first, second) (STREAM(to, first), STREAM((to) + WIDTH, second))
#endif
#ifndef FENCE
#define FENCE() DONE()
#endif

#define B                   LOAD(b + i)
#define C                   LOAD(c + i)
#define TIMES(x, y)         ((x) * (y))
#define PLUS(x, y)          ((x) + (y))
#define PLUS_TIMES(x, y, z) ((x) + (y) * (z))

// One kernel: EXPRESSION of the vectors at b + i and c + i goes to a + i, two at a time, which
// aarch64 loads and stores with one instruction.
#define KERNEL(NAME, PUT, EXPRESSION, END)                                                         \
    static double OWN(NAME)(double *restrict a, const double *restrict b,                          \
                            const double *restrict c, size_t count, double scalar)                 \
    {                                                                                              \
        typedef VECTOR vector;                                                                     \
        const vector s = ALL(scalar);                                                              \
        (void)s, (void)b, (void)c;                                                                 \
        for (size_t turn = 0; turn < count; turn += TURN) {                                        \
            _Pragma("GCC unroll 2") for (size_t k = 0; k < 4; k += 2)                              \
            {                                                                                      \
                size_t i = turn + k * WIDTH;                                                       \
                const vector first = EXPRESSION;                                                   \
                i += WIDTH;                                                                        \
                PUT(a + i - WIDTH, first, EXPRESSION);                                             \
            }                                                                                      \
        }                                                                                          \
        END();                                                                                     \
        return 0;                                                                                  \
    }

// Eight sums, so that no addition waits for the one before; added up as a tree, so that
// the end of a small block takes as little as it can.
static double OWN(read_all)(double *restrict a, const double *restrict b, const double *restrict c,
                            size_t count, double scalar)
{
    typedef VECTOR vector;
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

#else
#undef B
#undef C
#undef TIMES
#undef PLUS
#undef PLUS_TIMES
#undef KERNEL
#define B                   svld1_vnum_f64(which, b + i, k)
#define C                   svld1_vnum_f64(which, c + i, k)
#define TIMES(x, y)         svmul_f64_x(which, y, x)
#define PLUS(x, y)          svadd_f64_x(which, x, y)
#define PLUS_TIMES(x, y, z) svmla_f64_x(which, x, z, y)
#define STORE_TWO           svst1_vnum_f64
#define STREAM_TWO          svstnt1_vnum_f64

// Vector k of those that begin at element i, of which `which` says what lanes count.
#define ONE(K, PUT, EXPRESSION)                                                                    \
    {                                                                                              \
        const int64_t k = (K);                                                                     \
        PUT(which, a + i, k, EXPRESSION);                                                          \
    }

// Four vectors a turn; a block is not always whole turns of the longest ones.
#define KERNEL(NAME, PUT, EXPRESSION, END)                                                         \
    static double OWN(NAME)(double *restrict a, const double *restrict b,                          \
                            const double *restrict c, size_t count, double scalar)                 \
    {                                                                                              \
        const size_t width = svcntd();                                                             \
        const svfloat64_t s = svdup_f64(scalar);                                                   \
        svbool_t which = svptrue_b64();                                                            \
        size_t i = 0;                                                                              \
        (void)s, (void)b, (void)c;                                                                 \
        for (; i + 4 * width <= count; i += 4 * width) {                                           \
            ONE(0, PUT, EXPRESSION)                                                                \
            ONE(1, PUT, EXPRESSION)                                                                \
            ONE(2, PUT, EXPRESSION)                                                                \
            ONE(3, PUT, EXPRESSION)                                                                \
        }                                                                                          \
        for (; i < count; i += width) {                                                            \
            which = svwhilelt_b64(i, count);                                                       \
            ONE(0, PUT, EXPRESSION)                                                                \
        }                                                                                          \
        return 0;                                                                                  \
    }

#define EACH_8(DO)     DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define ZERO(n)        svfloat64_t sum##n = svdup_f64(0);
#define PLUS_ALL(x, y) svadd_f64_x(all, x, y)
#define SUM(n)         sum##n = svadd_f64_x(all, sum##n, svld1_vnum_f64(all, a + i, n));

// Eight sums, so that no addition waits for the one before.
static double OWN(read_all)(double *restrict a, const double *restrict b, const double *restrict c,
                            size_t count, double scalar)
{
    const size_t width = svcntd();
    const svbool_t all = svptrue_b64();
    size_t i = 0;
    (void)b, (void)c, (void)scalar;
    EACH_8(ZERO)
    for (; i + 8 * width <= count; i += 8 * width) {
        EACH_8(SUM)
    }
    for (; i < count; i += width) {
        const svbool_t which = svwhilelt_b64(i, count);
        sum0 = svadd_f64_m(which, sum0, svld1_f64(which, a + i));
    }
    return svaddv_f64(all, PLUS_ALL(PLUS_ALL(PLUS_ALL(sum0, sum1), PLUS_ALL(sum2, sum3)),
                                    PLUS_ALL(PLUS_ALL(sum4, sum5), PLUS_ALL(sum6, sum7))));
}

#endif

KERNEL(copy, STORE_TWO, B, DONE)
KERNEL(scale, STORE_TWO, TIMES(s, B), DONE)
KERNEL(add, STORE_TWO, PLUS(B, C), DONE)
KERNEL(triad, STORE_TWO, PLUS_TIMES(B, s, C), DONE)
KERNEL(write_all, STORE_TWO, s, DONE)

#ifdef STREAM_TWO
KERNEL(stream_copy, STREAM_TWO, B, FENCE)
KERNEL(stream_scale, STREAM_TWO, TIMES(s, B), FENCE)
KERNEL(stream_add, STREAM_TWO, PLUS(B, C), FENCE)
KERNEL(stream_triad, STREAM_TWO, PLUS_TIMES(B, s, C), FENCE)
KERNEL(stream_write, STREAM_TWO, s, FENCE)
#endif

static const struct mem_table TABLE = {
    .cached = {[MEM_COPY] = OWN(copy),
               [MEM_SCALE] = OWN(scale),
               [MEM_ADD] = OWN(add),
               [MEM_TRIAD] = OWN(triad),
               [MEM_READ] = OWN(read_all),
               [MEM_WRITE] = OWN(write_all)},
#ifdef STREAM_TWO
    .non_temporal = {[MEM_COPY] = OWN(stream_copy),
                     [MEM_SCALE] = OWN(stream_scale),
                     [MEM_ADD] = OWN(stream_add),
                     [MEM_TRIAD] = OWN(stream_triad),
                     [MEM_WRITE] = OWN(stream_write)},
#endif
};

// All that another width has otherwise.
#undef TABLE
#undef BYTES
#undef STREAM
#undef STREAM_TWO
#undef STORE_TWO
#undef FENCE
#undef SVE
