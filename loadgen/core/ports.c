// loadgen ports: execution ports. Starts as many instructions of one kind as the core can, on
// registers alone: what shares the core at the same time, a sibling thread, waits for its
// turn at these ports. core/port_kernels.h says where the kinds are from.

#define OPTIONS_OF struct ports_settings // see common/options.h

#include "core/core.h"
#include "core/port_kernels.h"
#include "load.h"
#include "ops/clock.h"

struct ports_settings {
    int kind;
};

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

// Instructions that one worker does in a cycle while it works.
static double per_cycle(const struct snapshot *window)
{
    return 1e9 / ns_per_unit(window) / clock_mean(window);
}

static inline struct port_kernel *state_of(const struct run *run)
{
    return run->state;
}

// NAN: not known; a core that starts more than it could is not the one of the table.
static double possible(const struct run *run, const struct snapshot *window)
{
    const double most = state_of(run)->per_cycle;
    return per_cycle(window) > CLOCK_MOST_SHARE * most ? NAN : most;
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
    .state_size = sizeof(struct port_kernel),
    .worker_size = sizeof(int64_t), // of clock_sample()
    CORE_LOAD,
    .check = ports_check,
    .operate = ports_operate,
    .describe = ports_describe,
    .fields = ports_fields,
    .notes = ports_notes,
};
LOADGEN_REGISTER(ports_load);
