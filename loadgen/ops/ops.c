// loadgen ops: arithmetic on registers, of one type and width, as fast as the CPU starts it. It
// keeps the execution ports of a core busy and touches no memory: what it takes from others is a
// core's arithmetic, from an SMT sibling above all, and power, which others pay for in clock.

#define OPTIONS_OF struct ops_settings // see common/options.h
#define STATE_OF   struct ops_state    // see load.h
#define OWN_OF     int64_t             // of clock_sample()

#include "core/kernels.h"
#include "load.h"
#include "ops/widths.h"

#include "common/ports.h"

// ---- the clock ----

#define TURNS     256
#define UNROLL    64
#define TRIES     3
#define PERIOD_NS 5000000 // of samples

// TURNS * UNROLL additions, and what the loop itself needs.
static void chain(void)
{
    uint64_t sum = 0, more = 1;
    __asm__ volatile("" : "+r"(more)); // not a constant
    for (unsigned turn = 0; turn < TURNS; turn++) {
        _Pragma("GCC unroll 64") for (unsigned i = 0; i < UNROLL; i++)
        {
            sum += more;
            __asm__ volatile("" : "+r"(sum));
        }
    }
}

enum counter { SUM_HZ, COUNT };

// The clock of the CPU that the caller runs on, in Hz, as the speed of additions that each need
// the one before: one takes one cycle (uops.info and Agner Fog's tables: ADD r64, r64, latency 1,
// from Haswell and Zen on; LLVM's models of Neoverse: ADD, latency 1). Not of ADD
// with a constant, which Golden Cove does while it renames registers. An interrupt or another
// task only makes it slower, so the fastest of three counts. It takes some 15 us. NAN: not
// known of this kind of machine.
static double clock_measure(void)
{
    double chain_ns = INFINITY, empty_ns = INFINITY;
    for (unsigned i = 0; i < TRIES; i++) {
        const int64_t start_ns = clock_ns();
        const int64_t between_ns = clock_ns();
        chain();
        const int64_t end_ns = clock_ns();
        empty_ns = fmin(empty_ns, (double)(between_ns - start_ns));
        chain_ns = fmin(chain_ns, (double)(end_ns - between_ns));
    }
#if defined(__x86_64__) || defined(__aarch64__)
    return TURNS * UNROLL / (chain_ns - empty_ns) * 1e9;
#else
    return NAN;
#endif
}

// Between two pieces of work, so at the clock that the work has: adds a measurement to the worker's
// counters if the last one is 5 ms ago (0.3 % of the time). *next_ns is the worker's own, 0 at
// first.
static void clock_sample(struct worker *worker, int64_t *next_ns)
{
    const int64_t at_ns = clock_ns();
    if (at_ns < *next_ns)
        return;
    const double hz = clock_measure();
    if (isfinite(hz)) {
        worker_add(worker, SUM_HZ, (uint64_t)hz);
        worker_add(worker, COUNT, 1);
    }
    *next_ns = at_ns + PERIOD_NS;
}

// The mean clock of a window, in Hz; NAN: nothing was measured.
static double clock_mean(const struct snapshot *window)
{
    return window->counters[COUNT] > 0 ? window->counters[SUM_HZ] / window->counters[COUNT] : NAN;
}

// ---- loadgen ops ----

// Without a limit a worker does several blocks before it takes the time again.
#define UNLIMITED_BLOCKS 16
// Of a peak in a run's CPU time, for the clock may have changed between its samples: beyond it,
// the peak is not this CPU's.
#define MOST_SHARE 1.05

_Static_assert(UNLIMITED_BLOCKS <= OPS_MOST_BLOCKS, "half precision would not be exact");

struct ops_settings {
    int type;
    int simd; // 0: auto; else 1 + enum simd
    bool spoil;
};

struct ops_state {
    struct ops_kernel kernel;
    enum simd simd;
    struct peak peak;
};

static const char ops_details[] =
    "One operation is an addition of two whole numbers, or a multiplication or addition of a "
    "floating-point FMA, which counts as two; a vector counts as one for each lane. The rate of "
    "--limit is in operations a second of all workers: 10G, or 50% of what `loadgen ops --calib` "
    "measured with the same type, vectors and threads. Each value is checked: a wrong result ends "
    "the load with exit status 1.\n\n"
    "The summary has gops (10^9 operations a second), clock_hz (measured in the same run on the "
    "same CPUs by a chain of additions) and peak_gops, the theoretical peak at that clock, with "
    "the source of each factor in peak_source. See docs/bench.md#cpu.";

static const char *const simd_choices[] = {"auto", "avx512",   "avx2",   "sse2", "sve",
                                           "neon", "portable", "scalar", NULL};

static const struct option_row ops_options[] = {
    {ROW("type", "NAME", OPTION_CHOICE, type), .preset = "double", .choices = ops_type_names,
     .help = "what it computes with: int8, int16, int32, int64, half, single or double",
     .measured = true},
    {ROW("simd", "WIDTH", OPTION_CHOICE, simd), .preset = "auto", .choices = simd_choices,
     .help = "vectors: avx512, avx2, sse2 (x86-64), sve, neon (aarch64), portable (the compiler's "
             "choice), scalar (none), or auto: the widest that the CPU has",
     .measured = true},
    {ROW("spoil", NULL, OPTION_FLAG, spoil), .hidden = true,
     .help = "expect something else than what is right, as if the CPU were wrong"},
    {0},
};

// ---- before anything starts ----

static void ops_check(struct run *run)
{
    struct ops_state *state = run->state;
    struct ops_settings *set = settings_of(run);
    const enum ops_type type = (enum ops_type)set->type;
    const enum simd widest = ops_widest(type);
    if (widest == SIMDS)
        usage_error(
            "--type %s: this CPU does not compute in half precision (AVX512-FP16, FEAT_FP16; F16C "
            "only converts), and jostle does not emulate it: give another type",
            ops_type_names[type]);
    state->simd = set->simd == 0 ? widest : (enum simd)(set->simd - 1);
    state->kernel = ops_kernel_of(state->simd, type);
    if (!state->kernel.run)
        usage_error("--type %s --simd %s: this CPU lacks it: give %s, or leave it out",
                    ops_type_names[type], simd_names[state->simd], simd_names[widest]);
    set->simd = 1 + (int)state->simd;
    run->quantum = state->kernel.block;
}

static int ops_prepare(struct run *run)
{
    const enum ops_type type = (enum ops_type)settings_of(run)->type;
    const struct arithmetic what = {state_of(run)->simd, type >= OPS_HALF, ops_type_bytes(type)};
    peak_find(&state_of(run)->peak, &what, &run->cpus, run->threads, run->quota_cpus);
    return 0;
}

// ---- workers ----

static double ops_operate(struct worker *worker)
{
    const struct ops_state *state = worker->run->state;
    const unsigned blocks = isinf(worker->orders.rate) ? UNLIMITED_BLOCKS : 1;
    if (!state->kernel.run(blocks, settings_of(worker->run)->spoil))
        return worker_fail(
            worker, "a wrong result of %s in %s on CPU %d: do not trust this CPU, or this build",
            ops_type_names[settings_of(worker->run)->type], simd_names[state->simd], worker->cpu);
    clock_sample(worker, worker->state);
    return blocks * state->kernel.block;
}

// ---- figures ----

// Of the peak, what the workers did in their CPU time alone: above 1, it is not this CPU's.
static double peak_share(const struct run *run, const struct snapshot *window)
{
    return window->cpu_ns > 0 ? window->amount / (double)window->cpu_ns * 1e9 / clock_mean(window) /
                                    state_of(run)->peak.of_a_core
                              : NAN;
}

static bool is_exceeded(const struct run *run, const struct snapshot *window)
{
    return peak_share(run, window) > MOST_SHARE;
}

static void ops_describe(struct run *run, struct line *line)
{
    const struct ops_state *state = run->state;
    line_text(line, "type", ops_type_names[settings_of(run)->type]);
    line_text(line, "simd", simd_names[state->simd]);
    line_count(line, "lanes", state->kernel.lanes);
    line_text(line, "counted",
              state->kernel.operations == 1
                  ? "an addition is one operation"
                  : "a multiplication and an addition are two operations");
}

static void ops_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    const struct ops_state *state = run->state;
    const double hz = clock_mean(window);
    line_text(line, "type", ops_type_names[settings_of(run)->type]);
    line_text(line, "simd", simd_names[state->simd]);
    line_fixed(line, "gops", per_second(window->amount, window) / 1e9, 6);
    line_fixed(line, "clock_hz", hz, 0);
    char text[sizeof state->peak.source + 96];
    const double share = peak_share(run, window);
    const bool exceeded = is_exceeded(run, window);
    snprintf(text, sizeof text, "not known here: %.0f %% of it were done in the CPU time: %s",
             100 * share, state->peak.source);
    line_fixed(line, "peak_gops", exceeded ? NAN : hz / 1e9 * state->peak.per_cycle, 6);
    line_fixed(line, "peak_share", share, 6);
    line_text(line, "peak_source", exceeded ? text : state->peak.source);
}

static void ops_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const struct ops_state *state = run->state;
    const double hz = clock_mean(window), peak = hz / 1e9 * state->peak.per_cycle;
    if (strcmp(event, "summary") != 0 || !isfinite(hz))
        return;
    report_print(&run->report, "  %s, %s: %.2f Gop/s; clock %.2f GHz\n",
                 ops_type_names[settings_of(run)->type], simd_names[state->simd],
                 per_second(window->amount, window) / 1e9, hz / 1e9);
    if (is_exceeded(run, window))
        report_print(&run->report,
                     "  peak not known here: %.0f %% of it were done in the CPU time: %s\n",
                     100 * peak_share(run, window), state->peak.source);
    else if (isfinite(peak))
        report_print(&run->report, "  %.1f %% of the peak of %.2f Gop/s: %s\n",
                     100 * per_second(window->amount, window) / 1e9 / peak, peak,
                     state->peak.source);
    else
        report_print(&run->report, "  peak %s\n", state->peak.source);
}

static const struct load ops_load = {
    .name = "ops",
    .summary = "computes in registers: whole numbers or floating point, in vectors or not",
    .details = ops_details,
    LOAD_OPTIONS(ops_options),
    .unit = UNIT_OPS,
    .calibrations = (const char *const[]){"--threads 1", "", NULL},
    .pinned = true,
    .check = ops_check,
    .prepare = ops_prepare,
    .operate = ops_operate,
    .describe = ops_describe,
    .fields = ops_fields,
    .notes = ops_notes,
};
LOADGEN_REGISTER(ops_load);

// loadgen ports: execution ports. Starts as many instructions of one kind as the core can, on
// registers alone: what shares the core at the same time, a sibling thread, waits for its
// turn at these ports. core/kernels.h says where the kinds are from.

struct ports_settings {
    int kind;
};

#undef OPTIONS_OF
#undef STATE_OF
#define OPTIONS_OF struct ports_settings
#define STATE_OF   struct port_kernel
static const struct option_row ports_options[] = {
    {ROW("kind", "KIND", OPTION_CHOICE, kind), .measured = true, .preset = "all",
     .choices = port_kind_names,
     .help = "which instructions: int (additions of whole numbers), int-mul, fp (FMA of doubles), "
             "fp-add, fp-mul, shuffle, or all (additions of both kinds and multiplications)"},
    {0},
};

static const char ports_details[] =
    "Disturbs a sibling thread of the core (SMT): the execution ports of that kind, and the core's "
    "width; what runs on the same CPU in turns loses the CPU's time alone. Leaves alone: caches, "
    "TLB, memory (it works on registers, without wide vectors), other cores but for the clock of "
    "the socket. One operation of the rate is one instruction. The summary's "
    "instructions_per_cycle is the proof; per_cycle_possible is what the core's ports can start, "
    "where that is known, of int and fp.";

static void ports_check(struct run *run)
{
    struct port_kernel *kernel = run->state;
    *kernel = port_kernel_of((enum port_kind)settings_of(run)->kind);
    run->quantum = kernel->blocks * kernel->instructions;
    run->grain = kernel->instructions;
}

// ---- workers ----

static double ports_operate(struct worker *worker)
{
    const struct port_kernel *kernel = worker->run->state;
    const double quantum = worker->orders.quantum;
    if (!kernel->run((unsigned)lround(quantum / kernel->instructions), 0))
        return worker_fail(worker,
                           "a wrong result of %s on CPU %d: do not trust this CPU, or this build",
                           port_kind_names[settings_of(worker->run)->kind], worker->cpu);
    clock_sample(worker, worker->state);
    return quantum;
}

// ---- reports ----

// Of one worker while it works.
static double per_cycle(const struct snapshot *window)
{
    return 1e9 / ns_per_unit(window) / clock_mean(window);
}

// NAN: not known; a core that starts more than it could is not the one of the table.
static double possible(const struct run *run, const struct snapshot *window)
{
    const double most = state_of(run)->per_cycle;
    return per_cycle(window) > MOST_SHARE * most ? NAN : most;
}

static void ports_describe(struct run *run, struct line *line)
{
    line_text(line, "kind", port_kind_names[settings_of(run)->kind]);
    line_count(line, "chunk_instructions", (uint64_t)engine_quantum(run));
}

static void ports_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    line_fixed(line, "clock_hz", clock_mean(window), 0);
    line_fixed(line, "instructions_per_cycle", per_cycle(window), 4);
    line_fixed(line, "per_cycle_possible", possible(run, window), 4);
}

static void ports_notes(struct run *run, const char *event, const struct snapshot *window)
{
    const double can = possible(run, window);
    char most[64] = "";
    (void)event; // with each of them
    if (!isfinite(per_cycle(window)))
        return;
    if (isfinite(can))
        snprintf(most, sizeof most, " of %g that the core can start", can);
    report_print(&run->report, "  %s: %.2f instructions a cycle%s; clock %.2f GHz\n",
                 port_kind_names[settings_of(run)->kind], per_cycle(window), most,
                 clock_mean(window) / 1e9);
}

static const struct load ports_load = {
    .name = "ports",
    .summary = "keeps a core's execution ports busy: integer, floating point, shuffle",
    .details = ports_details,
    LOAD_OPTIONS(ports_options),
    CORE_LOAD,
    .check = ports_check,
    .operate = ports_operate,
    .describe = ports_describe,
    .fields = ports_fields,
    .notes = ports_notes,
};
LOADGEN_REGISTER(ports_load);
