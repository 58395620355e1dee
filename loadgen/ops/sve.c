// loadgen ops with the vectors of SVE, whose length only the machine knows: 16 to 256 bytes. What
// ops/vector.h says of its kernels holds for these; the steps are written as instructions, because
// the template's vectors have a fixed length.

#include "ops/widths.h"

#include <stddef.h>

#ifdef PROCESSOR_BUILDS_SVE
#pragma GCC target("arch=armv8.2-a+sve")

#include <arm_sve.h>

#define WHOLE_VALUES 12
#define REAL_VALUES  20

#define EACH_12(DO, S)                                                                             \
    DO(0, S)                                                                                       \
    DO(1, S)                                                                                       \
    DO(2, S) DO(3, S) DO(4, S) DO(5, S) DO(6, S) DO(7, S) DO(8, S) DO(9, S) DO(10, S) DO(11, S)
#define EACH_20(DO, S)                                                                             \
    EACH_12(DO, S)                                                                                 \
    DO(12, S) DO(13, S) DO(14, S) DO(15, S) DO(16, S) DO(17, S) DO(18, S) DO(19, S)

// S: the letter of the elements.
#define BEGIN(k, S) vector x##k = svadd_x(all, lane, (element)(k));
#define ADD(k, S)   __asm__ volatile("add %0." S ", %0." S ", %1." S : "+w"(x##k) : "w"(step));
#define FUSE(k, S)                                                                                 \
    __asm__ volatile("fmla %0." S ", %1/m, %2." S ", %3." S                                        \
                     : "+w"(x##k)                                                                  \
                     : "Upl"(all), "w"(factor), "w"(step));
#define BACK(k, S) x##k = svsub_x(all, x##k, back);
#define CHECK(k, S)                                                                                \
    right =                                                                                        \
        right && !svptest_any(all, svcmpne(all, x##k,                                              \
                                           svadd_x(all, svadd_x(all, lane, (element)(k)), more)));

#define REPEAT(EACH, MOVE, S, TURNS)                                                               \
    for (unsigned turn = 0; turn < (TURNS); turn++) {                                              \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < OPS_UNROLL; i++)                         \
        {                                                                                          \
            EACH(MOVE, S)                                                                          \
        }                                                                                          \
    }

#define WHOLE(NAME, VECTOR, ELEMENT, BITS, S)                                                      \
    static bool NAME(unsigned blocks, unsigned spoil)                                              \
    {                                                                                              \
        typedef VECTOR vector;                                                                     \
        typedef ELEMENT element;                                                                   \
        const element odd = (element)0x9e3779b97f4a7c15; /* its multiples are all different */     \
        const element more =                                                                       \
            (element)((element)((element)(OPS_TURNS * OPS_UNROLL) * odd) * (element)blocks +       \
                      (element)spoil);                                                             \
        const svbool_t all = svptrue_b##BITS();                                                    \
        const vector lane = svindex_u##BITS(0, 1), step = svdup_u##BITS(odd);                      \
        bool right = true;                                                                         \
        EACH_12(BEGIN, S)                                                                          \
        while (blocks-- > 0) {                                                                     \
            REPEAT(EACH_12, ADD, S, OPS_TURNS)                                                     \
        }                                                                                          \
        EACH_12(CHECK, S)                                                                          \
        return right;                                                                              \
    }

#define REAL(NAME, VECTOR, ELEMENT, BITS, S, TURNS)                                                \
    static bool NAME(unsigned blocks, unsigned spoil)                                              \
    {                                                                                              \
        typedef VECTOR vector;                                                                     \
        typedef ELEMENT element;                                                                   \
        const element more = (element)(blocks + spoil), back = (element)((TURNS)*OPS_UNROLL - 1);  \
        const svbool_t all = svptrue_b##BITS();                                                    \
        const vector lane = svcvt_f##BITS##_u##BITS##_x(all, svindex_u##BITS(0, 1));               \
        const vector step = svdup_f##BITS(1), factor = svdup_f##BITS(1);                           \
        bool right = true;                                                                         \
        EACH_20(BEGIN, S)                                                                          \
        while (blocks-- > 0) {                                                                     \
            REPEAT(EACH_20, FUSE, S, TURNS)                                                        \
            EACH_20(BACK, S)                                                                       \
        }                                                                                          \
        EACH_20(CHECK, S)                                                                          \
        return right;                                                                              \
    }

WHOLE(run_int8, svuint8_t, uint8_t, 8, "b")
WHOLE(run_int16, svuint16_t, uint16_t, 16, "h")
WHOLE(run_int32, svuint32_t, uint32_t, 32, "s")
WHOLE(run_int64, svuint64_t, uint64_t, 64, "d")
REAL(run_half, svfloat16_t, float16_t, 16, "h", OPS_TURNS_HALF)
REAL(run_single, svfloat32_t, float32_t, 32, "s", OPS_TURNS)
REAL(run_double, svfloat64_t, float64_t, 64, "d", OPS_TURNS)

#define KERNEL(RUN, LANES, VALUES, OPERATIONS, TURNS)                                              \
    {                                                                                              \
        .run = RUN, .lanes = LANES, .operations = OPERATIONS,                                      \
        .block = 1.0 * TURNS * OPS_UNROLL * VALUES * (LANES)*OPERATIONS                            \
    }
#define TABLE(BYTES)                                                                               \
    {                                                                                              \
        [OPS_INT8] = KERNEL(run_int8, BYTES, WHOLE_VALUES, 1, OPS_TURNS),                          \
        [OPS_INT16] = KERNEL(run_int16, BYTES / 2, WHOLE_VALUES, 1, OPS_TURNS),                    \
        [OPS_INT32] = KERNEL(run_int32, BYTES / 4, WHOLE_VALUES, 1, OPS_TURNS),                    \
        [OPS_INT64] = KERNEL(run_int64, BYTES / 8, WHOLE_VALUES, 1, OPS_TURNS),                    \
        [OPS_HALF] = KERNEL(run_half, BYTES / 2, REAL_VALUES, 2, OPS_TURNS_HALF),                  \
        [OPS_SINGLE] = KERNEL(run_single, BYTES / 4, REAL_VALUES, 2, OPS_TURNS),                   \
        [OPS_DOUBLE] = KERNEL(run_double, BYTES / 8, REAL_VALUES, 2, OPS_TURNS)                    \
    }

// Lengths that are powers of two; with any other there are no kernels here.
const struct ops_kernel *ops_sve(void)
{
    static const struct ops_kernel tables[][OPS_TYPES] = {TABLE(16), TABLE(32), TABLE(64),
                                                          TABLE(128), TABLE(256)};
    const unsigned bytes = processor_vector_bytes(SIMD_SVE);
    for (unsigned i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (bytes == 16u << i)
            return tables[i];
    return NULL;
}
#endif
