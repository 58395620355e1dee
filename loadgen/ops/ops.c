// loadgen ops: arithmetic on registers, of one type and width, as fast as the CPU starts it. It
// keeps the execution ports of a core busy and touches no memory: what it takes from others is a
// core's arithmetic, from an SMT sibling above all, and power, which others pay for in clock.

#define OPTIONS_OF struct ops_settings // see common/options.h

#include "load.h"
#include "ops/clock.h"
#include "ops/widths.h"

#include "common/ports.h"

// Without a limit a worker does several blocks before it takes the time again.
#define UNLIMITED_BLOCKS 16

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

static inline struct ops_state *state_of(const struct run *run)
{
    return run->state;
}

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

// The share of the peak that the workers reached in their CPU time alone: above 1, the peak is not
// this CPU's.
static double peak_share(const struct run *run, const struct snapshot *window)
{
    return window->cpu_ns > 0 ? window->amount / (double)window->cpu_ns * 1e9 / clock_mean(window) /
                                    state_of(run)->peak.of_a_core
                              : NAN;
}

static bool is_exceeded(const struct run *run, const struct snapshot *window)
{
    return peak_share(run, window) > CLOCK_MOST_SHARE;
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
    .state_size = sizeof(struct ops_state),
    .worker_size = sizeof(int64_t), // of clock_sample()
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
