/* loadgen ports: execution ports. Starts as many instructions of one kind as the core can, on
 * registers alone: what shares the core at the same time, a sibling thread, waits for its
 * turn at these ports. See port-kernels.h for where the kinds are from. */

#include "core/touches.h"
#include "load.h"
#include "ops/clock.h"
#include "ops/kernels.h"

#include "common/ports.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Instructions for some of a core's execution ports, on registers alone; after the Rulers of
 * Y. Zhang et al., "SMiTe: precise QoS prediction on real-system SMT processors" (MICRO 2014):
 * FP_MUL, FP_ADD, FP_SHF, INT_ADD. Additions of whole numbers, and FMA, are loadgen ops's. All
 * without vectors (the shuffle has 16 bytes): a port is taken by any width, and wide ones
 * lower the clock of some CPUs, which would be another load. */

enum port_kind {
    PORT_INT,     /* additions of whole numbers: every integer port */
    PORT_INT_MUL, /* multiplications of whole numbers: one port in most cores */
    PORT_FP,      /* FMA of doubles: the ports of multiplication */
    PORT_FP_ADD,
    PORT_FP_MUL,
    PORT_SHUFFLE, /* permutations of a vector: one or two ports */
    PORT_ALL,     /* 4 additions of whole numbers to 1 addition and 1 multiplication of doubles */
    PORT_KINDS
};

extern const char *const port_kind_names[]; /* by enum port_kind, ended by NULL */

struct port_kernel {
    /* So many blocks. False: a result was wrong. */
    bool (*run)(unsigned blocks, unsigned spoil);
    double instructions; /* of one block */
    unsigned blocks;     /* of one operation of the load: 20 to 100 us */
    double per_cycle;    /* that the core can start; NAN: not known */
};

/* The empty asm makes each value opaque after each step, so that none can be folded, left
 * out or vectorised. */
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
/* As many values as the longest latency, 5 cycles, times 2 ports leaves none idle. */
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
/* A copy: what has an address may end up in memory. */
#define CHECK(k, TYPE)                                                                             \
    {                                                                                              \
        const TYPE found = x##k;                                                                   \
        right = right && memcmp(&found, &first, sizeof first) == 0;                                \
    }

/* NEXT is of a value and a constant, a, that the compiler does not know. All values begin
 * alike and have the same done to them: they end alike, or the CPU was wrong. */
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

/* 4 additions of whole numbers, a multiplication and an addition of doubles a step: as many
 * as a core starts in a cycle. */
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

/* ---- loadgen ops's ---- */

/* One instruction in each lane for a step, two where there is no FMA. */
static struct port_kernel of_ops(enum ops_type type)
{
    char reason[256];
    const struct ops_kernel *kernel = ops_kernel_of(SIMD_SCALAR, type);
    const struct ports *ports = ports_find(reason, sizeof reason);
    const enum step step = ports_step(SIMD_SCALAR, type == OPS_DOUBLE);
    const double steps = ports == NULL ? 0 : ports_steps(ports, SIMD_SCALAR, step);
    const double each = step == STEP_MULTIPLY_ADD ? 2 : 1;
    return (struct port_kernel){.run = kernel->run,
                                .instructions =
                                    kernel->block / kernel->lanes / kernel->operations * each,
                                .blocks = 8,
                                .per_cycle = steps > 0 ? steps * each : NAN};
}

static struct port_kernel port_kernel_of(enum port_kind kind)
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

#define MOST_SHARE 1.05 /* of what a core can start: the clock is measured, too */

enum counter { CLOCK = TOUCHES_COUNTERS };

struct ports_settings {
    int kind;
};

struct ports_state {
    struct touch_state touches; /* first: see touches.h; a touch is an instruction */
    struct port_kernel kernel;
    struct clock_samples *clocks; /* of each worker */
};

struct ports_worker {
    struct port_kernel kernel;
    bool wrong;
};

#define FIELD(name) offsetof(struct ports_settings, name)
static const struct option_row options[] = {
    {.name = "kind",
     .measured = true,
     .argument = "KIND",
     .type = OPTION_CHOICE,
     .offset = FIELD(kind),
     .preset = "all",
     .choices = port_kind_names,
     .help = "which instructions: int (additions of whole numbers), int-mul, fp (FMA of doubles), "
             "fp-add, fp-mul, shuffle, or all (additions of both kinds and multiplications)"},
    {0},
};

static const char details[] =
    "Disturbs a sibling thread of the core (SMT): the execution ports of that kind, and the "
    "core's width; what runs on the same CPU in turns loses the CPU's time alone. Leaves alone: "
    "caches, TLB, memory (it works on registers, without wide vectors), other cores but for the "
    "clock of the socket. One operation of the rate is one instruction. The summary's "
    "instructions_per_cycle is the proof; per_cycle_possible is what the core's ports can start, "
    "where that is known, of int and fp.";

static struct ports_state *state_of(const struct run *run)
{
    return run->state;
}

static void check(struct run *run)
{
    const struct ports_settings *set = run->settings;
    struct ports_state *state = calloc(1, sizeof *state);
    if (state == NULL)
        usage_error("out of memory: free some");
    run->state = state;
    run->unit = UNIT_OPS;
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    state->kernel = port_kernel_of((enum port_kind)set->kind);
    run->quantum = state->kernel.blocks * state->kernel.instructions;
}

static int prepare(struct run *run)
{
    struct ports_state *state = state_of(run);
    if (touches_open(run) != 0)
        return -1;
    state->clocks = clock_samples_new(run->threads);
    if (state->clocks == NULL)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    return 0;
}

static void cleanup(struct run *run)
{
    struct ports_state *state = state_of(run);
    if (state == NULL)
        return;
    touches_close(run);
    free(state->clocks);
    free(state);
    run->state = NULL;
}

/* ---- workers ---- */

static int begin(struct worker *worker)
{
    struct ports_worker *own = calloc(1, sizeof *own);
    worker->state = own;
    if (own == NULL)
        return worker_fail(worker, "out of memory: free some");
    own->kernel = state_of(worker->run)->kernel;
    return 0;
}

static void end(struct worker *worker)
{
    free(worker->state);
    worker->state = NULL;
}

static void walk(void *way, uint64_t instructions)
{
    struct ports_worker *own = way;
    (void)instructions; /* always an operation's */
    own->wrong = !own->kernel.run(own->kernel.blocks, 0);
}

static double operate(struct worker *worker)
{
    struct ports_state *state = state_of(worker->run);
    const struct ports_settings *set = worker->run->settings;
    struct ports_worker *own = worker->state;
    const double done = touches_walk(worker, walk, own, (uint64_t)worker->run->quantum);
    if (own->wrong)
        return worker_fail(worker,
                           "a wrong result of %s on CPU %d: do not trust this CPU, or this build",
                           port_kind_names[set->kind], worker->cpu);
    clock_sample(&state->clocks[worker->index], now_ns());
    return done;
}

/* ---- reports ---- */

static void count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct ports_state *state = state_of(run);
    touches_count(run, counters);
    clock_count(state->clocks, run->threads, &counters[CLOCK]);
}

/* Of one worker while it works. */
static double per_cycle(const struct snapshot *window)
{
    return 1e9 / touches_ns(window) / clock_mean(&window->counters[CLOCK]);
}

/* NAN: not known; a core that starts more than it could is not the one of the table. */
static double possible(const struct run *run, const struct snapshot *window)
{
    const double most = state_of(run)->kernel.per_cycle;
    return per_cycle(window) > MOST_SHARE * most ? NAN : most;
}

static void describe(struct run *run, struct line *line)
{
    const struct ports_settings *set = run->settings;
    line_text(line, "kind", port_kind_names[set->kind]);
    line_count(line, "chunk_instructions", (uint64_t)run->quantum);
}

static void fields(struct run *run, const struct snapshot *window, struct line *line)
{
    touches_busy(window, line);
    line_fixed(line, "clock_hz", clock_mean(&window->counters[CLOCK]), 0);
    line_fixed(line, "instructions_per_cycle", per_cycle(window), 4);
    line_fixed(line, "per_cycle_possible", possible(run, window), 4);
}

static void notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct ports_settings *set = run->settings;
    const double can = possible(run, window);
    char most[64] = "";
    (void)event; /* with each of them */
    if (!isfinite(per_cycle(window)))
        return;
    if (isfinite(can))
        snprintf(most, sizeof most, " of %g that the core can start", can);
    report_print(&run->report, "  %s: %.2f instructions a cycle%s; clock %.2f GHz\n",
                 port_kind_names[set->kind], per_cycle(window), most,
                 clock_mean(&window->counters[CLOCK]) / 1e9);
}

static const struct load_report reports = {.describe = describe, .fields = fields, .notes = notes};
static const struct load_accounting accounting = {.count = count};
static const char *const calibrations[] = {"", NULL};

static const struct load ports_load = {
    .name = "ports",
    .summary = "keeps a core's execution ports busy: integer, floating point, shuffle",
    .details = details,
    .options = options,
    .options_size = sizeof(struct ports_settings),
    .calibrations = calibrations,
    .timed = true,
    .pinned = true,
    .settle_ns = 20000000,
    .check = check,
    .prepare = prepare,
    .begin = begin,
    .operate = operate,
    .end = end,
    .cleanup = cleanup,
    .report = &reports,
    .accounting = &accounting,
};
LOADGEN_REGISTER(ports_load);
