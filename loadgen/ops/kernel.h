// One kernel. Defined before: NAME of the function, ELEMENT, INTEGER for whole numbers, TURNS
// if there are to be fewer; and what vector.h has. No include guard: it is a template.
//
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

#ifndef TURNS
#define TURNS OPS_TURNS
#endif
#define STEPS (TURNS * OPS_UNROLL)

#ifdef INTEGER
#define OPAQUE(value) __asm__ volatile("" : INTEGER_REGISTER(value))
#define NEXT(value)   ((vector)((value) + step))
#define BACK(value)   (value)
#define STEP          ((ELEMENT)0x9e3779b97f4a7c15) // odd: its multiples are all different
#define PER_BLOCK     ((ELEMENT)((ELEMENT)STEPS * STEP))
#else
#define OPAQUE(value) __asm__ volatile("" : VECTOR_REGISTER(value))
#ifdef FUSED
#define NEXT(value) FUSED(value, factor, step)
#else
#define NEXT(value) ((value)*factor + step)
#endif
#define BACK(value) ((value)-back)
#define STEP        ((ELEMENT)1)
#define PER_BLOCK   ((ELEMENT)1)
#endif
#define ALL(value) ((vector)((vector){0} + (ELEMENT)(value)))

#define EACH_8(DO)  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define EACH_12(DO) EACH_8(DO) DO(8) DO(9) DO(10) DO(11)
#if defined INTEGER && BYTES == 0
#define EACH(DO) EACH_8(DO)
#elif !defined INTEGER && defined MANY_VALUES
#define EACH(DO) EACH_12(DO) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19)
#elif defined INTEGER || BYTES > 16
#define EACH(DO) EACH_12(DO)
#else
#define EACH(DO) EACH_12(DO) DO(12) DO(13)
#endif

#define BEGIN(k) vector x##k = (vector)(lane + ALL(k));
#define MOVE(k)                                                                                    \
    x##k = NEXT(x##k);                                                                             \
    OPAQUE(x##k);
#define RETURN(k) x##k = BACK(x##k);
// Copies: what has an address may end up in memory.
#define CHECK(k)                                                                                   \
    found = x##k;                                                                                  \
    expected = (vector)(lane + ALL(k) + more);                                                     \
    right = right && memcmp(&found, &expected, sizeof expected) == 0;

static bool NAME(unsigned blocks, unsigned spoil)
{
    typedef VECTOR(ELEMENT) vector;
    const vector more = ALL(PER_BLOCK * (ELEMENT)blocks + (ELEMENT)spoil);
    ELEMENT numbers[LANES(ELEMENT)];
    vector lane, step = ALL(STEP), found, expected;
    bool right = true;
    for (unsigned i = 0; i < LANES(ELEMENT); i++)
        numbers[i] = (ELEMENT)i;
    memcpy(&lane, numbers, sizeof lane);
    OPAQUE(lane);
    OPAQUE(step);
#ifndef INTEGER
    vector factor = ALL(1);
    const vector back = ALL(STEPS - 1);
    OPAQUE(factor);
#endif
    EACH(BEGIN)
    while (blocks-- > 0) {
        for (unsigned turn = 0; turn < TURNS; turn++) {
            _Pragma("GCC unroll 16") for (unsigned i = 0; i < OPS_UNROLL; i++)
            {
                EACH(MOVE)
            }
        }
        EACH(RETURN)
    }
    EACH(CHECK)
    return right;
}

#undef NAME
#undef ELEMENT
#undef INTEGER
#undef TURNS
#undef STEPS
#undef OPAQUE
#undef NEXT
#undef BACK
#undef STEP
#undef PER_BLOCK
#undef ALL
#undef EACH_8
#undef EACH_12
#undef EACH
#undef BEGIN
#undef MOVE
#undef RETURN
#undef CHECK
