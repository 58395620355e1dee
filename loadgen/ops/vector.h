// The kernels for one width of vectors. Who includes this defines, after the target,
//
//     BYTES   of a vector; 0: of single values
//     TABLE   name of the table of the kernels
//     FUSED(value, factor, step)  value + factor * step in one instruction, where the compiler
//             would need a second for value * factor + step; or nothing
//
// and includes this, which undefines it. No include guard: it is a template. With HALF defined the
// table has half precision in place of all others. With SVE the vectors have the length of this
// machine, BYTES at most, and the table has all types.

// The functions of a table have its name in front of theirs.
#define JOIN(table, name)  table##_##name
#define UNDER(table, name) JOIN(table, name)
#define OWN(name)          UNDER(TABLE, name)

#if BYTES > 0
#define LANES(ELEMENT)          (BYTES / sizeof(ELEMENT))
#define INTEGER_REGISTER(value) VECTOR_REGISTER(value)
#else
#define LANES(ELEMENT)          1
#define INTEGER_REGISTER(value) "+r"(value)
#endif

#ifdef SVE
typedef svfloat32_t svfloat;
typedef svfloat64_t svdouble;
#define REAL16          float16_t
#define VECTOR(ELEMENT) sv##ELEMENT
#define NEEDED          const svbool_t all = svptrue_b8();
#define READ(from)      svld1(all, from)
#define ALL(value)      svadd_x(all, svsub_x(all, lane, lane), (element)(value))
#define PLUS(x, y)      svadd_x(all, x, y)
#define MINUS(x, y)     svsub_x(all, x, y)
#define DIFFER(x, y)    svptest_any(all, svcmpne(all, x, y))
#define FUSED(x, y, z)  svmla_x(all, x, y, z)
#else
#if BYTES > 0
#define VECTOR(ELEMENT) ELEMENT __attribute__((vector_size(BYTES)))
#else
#define VECTOR(ELEMENT) ELEMENT
#endif
#define REAL16       _Float16
#define NEEDED       vector found, expected;
#define READ(from)   (*(const vector *)(const void *)(from))
#define ALL(value)   ((vector)((vector){0} + (element)(value)))
#define PLUS(x, y)   ((vector)((x) + (y)))
#define MINUS(x, y)  ((x) - (y))
// Copies: what has an address may end up in memory.
#define DIFFER(x, y) (found = (x), expected = (y), memcmp(&found, &expected, sizeof expected) != 0)
#endif

// aarch64 has 32 registers, and latencies that need more values than 16 leave room for: 9 cycles
// of 2 instructions each for FMA on A64FX.
#if defined(__aarch64__)
#define MANY_VALUES
#endif

#if defined(__AVX512F__)
#define VECTOR_REGISTER(value) "+v"(value)
#elif defined(__x86_64__)
#define VECTOR_REGISTER(value) "+x"(value)
#elif defined(__aarch64__)
#define VECTOR_REGISTER(value) "+w"(value)
#else
#define VECTOR_REGISTER(value) "+m"(value)
#endif

// To keep a value to 8 or 16 bits of a register takes aarch64 a second instruction.
#if BYTES == 0 && defined(__aarch64__)
#define IN_32_BITS
#define RUN_INT8  OWN(run_int32)
#define RUN_INT16 OWN(run_int32)
#else
#define RUN_INT8  OWN(run_int8)
#define RUN_INT16 OWN(run_int16)
#endif

// ---- one kernel ----

// Throughput, not latency, has to limit it, so it needs at least as many independent values as
// latency x instructions a cycle: 10 for FMA on Haswell (5 x 2), 8 since (4 x 2); 12 for
// SSE2 on Zen (3 + 3 cycles x 4 instructions / 2 of a step), where 14 are faster; 4 to 8 for
// additions; 18 for FMA on A64FX (9 x 2), 16 on Neoverse V1 (4 x 4). 14 and two constants fill the
// 16 vector registers of SSE2 and AVX2; of the 16 others, 8 values, a constant and a counter are
// free in any build.
//
// The empty asm makes each value opaque after each step, so that none can be folded, left out
// or vectorised. Values begin with the number of their lane and accumulator; after each block
// all but one of its steps are taken back, where whole numbers are not exact for ever. So the
// end values count lanes, accumulators, steps and blocks, exactly.

#define OPAQUE(REGISTER, value) __asm__ volatile("" : REGISTER(value))
#ifdef FUSED
#define NEXT(value) FUSED(value, factor, step)
#else
#define NEXT(value) ((value)*factor + step)
#endif

// Values in flight.
#define EACH_8(DO)  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define EACH_12(DO) EACH_8(DO) DO(8) DO(9) DO(10) DO(11)
#if BYTES == 0
#define WHOLE_VALUES   8
#define EACH_WHOLE(DO) EACH_8(DO)
#else
#define WHOLE_VALUES   12
#define EACH_WHOLE(DO) EACH_12(DO)
#endif
#if defined MANY_VALUES
#define REAL_VALUES   20
#define EACH_REAL(DO) EACH_12(DO) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19)
#elif BYTES > 16
#define REAL_VALUES   12
#define EACH_REAL(DO) EACH_12(DO)
#else
#define REAL_VALUES   14
#define EACH_REAL(DO) EACH_12(DO) DO(12) DO(13)
#endif

#define BEGIN(k) vector x##k = PLUS(lane, ALL(k));
#define ADD(k)                                                                                     \
    x##k = PLUS(x##k, step);                                                                       \
    OPAQUE(INTEGER_REGISTER, x##k);
#define FUSE(k)                                                                                    \
    x##k = NEXT(x##k);                                                                             \
    OPAQUE(VECTOR_REGISTER, x##k);
#define BACK(k)  x##k = MINUS(x##k, back);
#define CHECK(k) right = right && !DIFFER(x##k, PLUS(PLUS(lane, ALL(k)), more));

#define REPEAT(EACH, MOVE, TURNS)                                                                  \
    for (unsigned turn = 0; turn < (TURNS); turn++) {                                              \
        _Pragma("GCC unroll 16") for (unsigned i = 0; i < OPS_UNROLL; i++)                         \
        {                                                                                          \
            EACH(MOVE)                                                                             \
        }                                                                                          \
    }

// From the first values to their check: each step adds STEP, and a block PER_BLOCK in all.
#define RUN(NAME, ELEMENT, EACH, REGISTER, STEP, PER_BLOCK, CONSTANTS, BLOCK)                      \
    static bool NAME(unsigned blocks, unsigned spoil)                                              \
    {                                                                                              \
        typedef ELEMENT element;                                                                   \
        typedef VECTOR(ELEMENT) vector;                                                            \
        NEEDED                                                                                     \
        _Alignas(64) element numbers[LANES(ELEMENT)];                                              \
        bool right = true;                                                                         \
        for (unsigned i = 0; i < LANES(ELEMENT); i++)                                              \
            numbers[i] = (element)i;                                                               \
        vector lane = READ(numbers), step;                                                         \
        OPAQUE(REGISTER, lane);                                                                    \
        const vector more = ALL((element)(PER_BLOCK) * (element)blocks + (element)spoil);          \
        step = ALL(STEP);                                                                          \
        OPAQUE(REGISTER, step);                                                                    \
        CONSTANTS                                                                                  \
        EACH(BEGIN)                                                                                \
        while (blocks-- > 0) {                                                                     \
            BLOCK                                                                                  \
        }                                                                                          \
        EACH(CHECK)                                                                                \
        return right;                                                                              \
    }

#define ODD (element)0x9e3779b97f4a7c15 // its multiples are all different
#define RUN_WHOLE(NAME, ELEMENT)                                                                   \
    RUN(NAME, ELEMENT, EACH_WHOLE, INTEGER_REGISTER, ODD, (element)(OPS_TURNS * OPS_UNROLL) * ODD, \
        , REPEAT(EACH_WHOLE, ADD, OPS_TURNS))
#define CONSTANTS(TURNS)                                                                           \
    vector factor = ALL(1);                                                                        \
    const vector back = ALL((TURNS)*OPS_UNROLL - 1);                                               \
    OPAQUE(VECTOR_REGISTER, factor);
#define RUN_REAL(NAME, ELEMENT, TURNS)                                                             \
    RUN(NAME, ELEMENT, EACH_REAL, VECTOR_REGISTER, 1, 1, CONSTANTS(TURNS),                         \
        REPEAT(EACH_REAL, FUSE, TURNS) EACH_REAL(BACK))

#if defined HALF || defined SVE
RUN_REAL(OWN(run_half), REAL16, OPS_TURNS_HALF)
#endif
#ifndef HALF
#ifndef IN_32_BITS
RUN_WHOLE(OWN(run_int8), uint8_t)
RUN_WHOLE(OWN(run_int16), uint16_t)
#endif
RUN_WHOLE(OWN(run_int32), uint32_t)
RUN_WHOLE(OWN(run_int64), uint64_t)
RUN_REAL(OWN(run_single), float, OPS_TURNS)
RUN_REAL(OWN(run_double), double, OPS_TURNS)
#endif

#define WHOLE(RUN)                                                                                 \
    {                                                                                              \
        RUN, 1, 1, 1.0 * OPS_TURNS *OPS_UNROLL *WHOLE_VALUES                                       \
    }
#define REAL(RUN, TURNS)                                                                           \
    {                                                                                              \
        RUN, 1, 2, 2.0 * TURNS *OPS_UNROLL *REAL_VALUES                                            \
    }

static const struct ops_kernel TABLE[OPS_TYPES] = {
#if defined HALF || defined SVE
    [OPS_HALF] = REAL(OWN(run_half), OPS_TURNS_HALF),
#endif
#ifndef HALF
    [OPS_INT8] = WHOLE(RUN_INT8),
    [OPS_INT16] = WHOLE(RUN_INT16),
    [OPS_INT32] = WHOLE(OWN(run_int32)),
    [OPS_INT64] = WHOLE(OWN(run_int64)),
    [OPS_SINGLE] = REAL(OWN(run_single), OPS_TURNS),
    [OPS_DOUBLE] = REAL(OWN(run_double), OPS_TURNS),
#endif
};

// All that another width has otherwise.
#undef TABLE
#undef BYTES
#undef HALF
#undef SVE
#undef REAL16
#undef NEEDED
#undef READ
#undef ALL
#undef PLUS
#undef MINUS
#undef DIFFER
#undef FUSED
#undef LANES
#undef VECTOR
#undef INTEGER_REGISTER
#undef VECTOR_REGISTER
#undef NEXT
#undef WHOLE_VALUES
#undef EACH_WHOLE
#undef REAL_VALUES
#undef EACH_REAL
#undef IN_32_BITS
#undef RUN_INT8
#undef RUN_INT16
