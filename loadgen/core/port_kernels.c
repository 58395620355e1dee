// Kernels of instructions that each take some of a core's execution ports, and check their results.

#include "core/port_kernels.h"

#include "load.h"
#include "ops/widths.h"

#include "common/ports.h"

// The empty asm makes each value opaque after each step, so that none can be folded, left
// out or vectorised.
#if defined(__x86_64__)
#define FP_REGISTER "+x"
#elif defined(__aarch64__)
#define FP_REGISTER "+w"
#else
#define FP_REGISTER "+m"
#endif
#define OPAQUE(REGISTER, value) __asm__ volatile("" : REGISTER(value))

#define TURNS  512
#define UNROLL 8
// As many values as the longest latency, 5 cycles, times 2 ports leaves none idle.
#define VALUES 10
#define EACH(DO, ...)                                                                              \
    DO(0, __VA_ARGS__)                                                                             \
    DO(1, __VA_ARGS__)                                                                             \
    DO(2, __VA_ARGS__)                                                                             \
    DO(3, __VA_ARGS__)                                                                             \
    DO(4, __VA_ARGS__)                                                                             \
    DO(5, __VA_ARGS__)                                                                             \
    DO(6, __VA_ARGS__)                                                                             \
    DO(7, __VA_ARGS__)                                                                             \
    DO(8, __VA_ARGS__)                                                                             \
    DO(9, __VA_ARGS__)
#define BLOCK (TURNS * UNROLL * VALUES)

const char *const port_kind_names[] = {"int",    "int-mul", "fp",  "fp-add",
                                       "fp-mul", "shuffle", "all", NULL};

typedef float lanes __attribute__((vector_size(16)));
typedef int32_t places __attribute__((vector_size(16)));

#define ADD(x, a)      ((x) + (a))
#define MULTIPLY(x, a) ((x) * (a))
#define ROTATE(x, a)   __builtin_shuffle(x, (places){1, 2, 3, 0})

#define BEGIN(k, TYPE)                                                                             \
    TYPE x##k = a;                                                                                 \
    (void)x##k;
#define MOVE(k, REGISTER, NEXT)                                                                    \
    x##k = NEXT(x##k, a);                                                                          \
    OPAQUE(REGISTER, x##k);
// A copy: what has an address may end up in memory.
#define CHECK(k, TYPE)                                                                             \
    {                                                                                              \
        const TYPE found = x##k;                                                                   \
        right = right && memcmp(&found, &first, sizeof first) == 0;                                \
    }

// NEXT is of a value and a constant, a, that the compiler does not know. All values begin
// alike and have the same done to them: they end alike, or the CPU was wrong.
#define KERNEL(NAME, TYPE, REGISTER, FIRST, NEXT)                                                  \
    static bool NAME(unsigned blocks, unsigned spoil)                                              \
    {                                                                                              \
        TYPE a = FIRST;                                                                            \
        bool right = spoil == 0;                                                                   \
        OPAQUE(REGISTER, a);                                                                       \
        EACH(BEGIN, TYPE)                                                                          \
        for (unsigned turn = 0; turn < blocks * TURNS; turn++) {                                   \
            _Pragma("GCC unroll 8") for (unsigned i = 0; i < UNROLL; i++)                          \
            {                                                                                      \
                EACH(MOVE, REGISTER, NEXT)                                                         \
            }                                                                                      \
        }                                                                                          \
        const TYPE first = x0;                                                                     \
        EACH(CHECK, TYPE)                                                                          \
        return right;                                                                              \
    }

KERNEL(run_int_mul, uint64_t, "+r", 0x9e3779b97f4a7c15, MULTIPLY)
KERNEL(run_fp_add, double, FP_REGISTER, 1, ADD)
KERNEL(run_fp_mul, double, FP_REGISTER, 1, MULTIPLY)
KERNEL(run_shuffle, lanes, FP_REGISTER, ((lanes){1, 2, 3, 4}), ROTATE)

// 4 additions of whole numbers, a multiplication and an addition of doubles a step: as many
// as a core starts in a cycle.
#define ALL_STEPS 4
#define ALL_BLOCK (TURNS * UNROLL * ALL_STEPS * 6)
#define STEP(k)                                                                                    \
    MOVE_NAMED(n0, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n1, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n2, "+r", ADD, one)                                                                 \
    MOVE_NAMED(n3, "+r", ADD, one)                                                                 \
    MOVE_NAMED(sum##k, FP_REGISTER, ADD, unit)                                                     \
    MOVE_NAMED(product##k, FP_REGISTER, MULTIPLY, unit)
#define MOVE_NAMED(name, REGISTER, NEXT, a)                                                        \
    name = NEXT(name, a);                                                                          \
    OPAQUE(REGISTER, name);

static bool run_all(unsigned blocks, unsigned spoil)
{
    uint64_t one = 1, n0 = 0, n1 = 0, n2 = 0, n3 = 0;
    double unit = 1, sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    double product0 = 1, product1 = 1, product2 = 1, product3 = 1;
    OPAQUE("+r", one);
    OPAQUE(FP_REGISTER, unit);
    for (unsigned turn = 0; turn < blocks * TURNS; turn++) {
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < UNROLL; i++)
        {
            STEP(0)
            STEP(1)
            STEP(2)
            STEP(3)
        }
    }
    const uint64_t steps = (uint64_t)blocks * TURNS * UNROLL * ALL_STEPS + spoil;
    return n0 == steps && n1 == steps && n2 == steps && n3 == steps &&
           sum0 + sum1 + sum2 + sum3 == (double)steps &&
           product0 * product1 * product2 * product3 == 1;
}

// One instruction in each lane for a step, two where there is no FMA.
static struct port_kernel of_ops(enum ops_type type)
{
    char reason[256];
    const struct ops_kernel kernel = ops_kernel_of(SIMD_SCALAR, type);
    const struct ports *ports = ports_find(reason, sizeof reason);
    const enum step step = ports_step(SIMD_SCALAR, type == OPS_DOUBLE);
    const double steps = ports ? ports_steps(ports, SIMD_SCALAR, step) : 0;
    const double each = step == STEP_MULTIPLY_ADD ? 2 : 1;
    return (struct port_kernel){.run = kernel.run,
                                .instructions =
                                    kernel.block / kernel.lanes / kernel.operations * each,
                                .blocks = 8,
                                .per_cycle = steps > 0 ? steps * each : NAN};
}

struct port_kernel port_kernel_of(enum port_kind kind)
{
    static const struct port_kernel own[PORT_KINDS] = {
        [PORT_INT_MUL] = {run_int_mul, BLOCK, 4, NAN},
        [PORT_FP_ADD] = {run_fp_add, BLOCK, 4, NAN},
        [PORT_FP_MUL] = {run_fp_mul, BLOCK, 4, NAN},
        [PORT_SHUFFLE] = {run_shuffle, BLOCK, 4, NAN},
        [PORT_ALL] = {run_all, ALL_BLOCK, 4, NAN},
    };
    if (kind == PORT_INT)
        return of_ops(OPS_INT64);
    return kind == PORT_FP ? of_ops(OPS_DOUBLE) : own[kind];
}
