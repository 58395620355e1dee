#include "kernel.h"

/* Four independent chains keep a pipelined unit busy. The empty asm statements
 * make each value opaque, so nothing can be folded, vectorised or left out. */

#if defined(__x86_64__)
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+m"(x))
#endif
#define OPAQUE_INT(x) __asm__ volatile("" : "+r"(x))

void kernel_init(struct kernel_state *state)
{
    for (int i = 0; i < 4; i++) {
        state->integers[i] = 0x9e3779b97f4a7c15U * (uint64_t)(i + 1);
        state->floats[i] = 1.0F + (float)i;
        state->doubles[i] = 1.0 + i;
    }
}

/* A multiplication, an addition and a rotation for each chain: Knuth's MMIX
 * generator with a rotation, so all bits change. */
static void run_int(struct kernel_state *state, uint64_t rounds)
{
    uint64_t *x = state->integers;
    uint64_t a = x[0], b = x[1], c = x[2], d = x[3];
    const uint64_t factor = 6364136223846793005U, term = 1442695040888963407U;
    while (rounds-- > 0) {
        a = a * factor + term;
        b = b * factor + term;
        c = c * factor + term;
        d = d * factor + term;
        a = a << 13 | a >> 51;
        b = b << 13 | b >> 51;
        c = c << 13 | c >> 51;
        d = d << 13 | d >> 51;
        OPAQUE_INT(a);
        OPAQUE_INT(b);
        OPAQUE_INT(c);
        OPAQUE_INT(d);
    }
    x[0] = a, x[1] = b, x[2] = c, x[3] = d;
}

/* x = x * p + q converges to q / (1 - p), an ordinary number: no denormals,
 * no infinities, so each operation takes the usual time. */
#define DEFINE_CHAINS(NAME, TYPE, FIELD)                                                           \
    static void NAME(struct kernel_state *state, uint64_t rounds)                                  \
    {                                                                                              \
        TYPE *x = state->FIELD;                                                                    \
        TYPE a = x[0], b = x[1], c = x[2], d = x[3];                                               \
        const TYPE factor = (TYPE)0.75, term = (TYPE)0.5;                                          \
        while (rounds-- > 0) {                                                                     \
            a = a * factor + term;                                                                 \
            b = b * factor + term;                                                                 \
            c = c * factor + term;                                                                 \
            d = d * factor + term;                                                                 \
            OPAQUE_FLOAT(a);                                                                       \
            OPAQUE_FLOAT(b);                                                                       \
            OPAQUE_FLOAT(c);                                                                       \
            OPAQUE_FLOAT(d);                                                                       \
        }                                                                                          \
        x[0] = a, x[1] = b, x[2] = c, x[3] = d;                                                    \
    }

DEFINE_CHAINS(run_float, float, floats)
DEFINE_CHAINS(run_double, double, doubles)

void kernel_run(enum kernel kernel, struct kernel_state *state, uint64_t rounds)
{
    switch (kernel) {
    case KERNEL_INT:
        run_int(state, rounds);
        return;
    case KERNEL_FLOAT:
        run_float(state, rounds);
        return;
    case KERNEL_DOUBLE:
        run_double(state, rounds);
        return;
    case KERNEL_MIXED:
        /* In turns short enough that every burst has some of each. */
        for (uint64_t left = rounds; left > 0;) {
            const uint64_t turn = left < 48 ? left : 48;
            run_int(state, turn / 3 + 1);
            run_float(state, turn / 3 + 1);
            run_double(state, turn / 3 + 1);
            left -= turn;
        }
        return;
    }
}
