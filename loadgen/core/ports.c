/* loadgen ports: execution ports. Starts as many instructions of one kind as the core can, on
 * registers alone: what shares the core at the same time, a sibling thread, waits for its
 * turn at these ports. See kernels.h for where the kinds are from. */

#include "core/kernels.h"
#include "core/proof.h"
#include "load.h"

#include <math.h>
#include <stdio.h>

#define MOST_SHARE 1.05 /* of what a core can start: the clock is measured, too */

struct ports_settings {
    int kind;
};

struct ports_state {
    struct port_kernel kernel;
};

#define ROW(name, argument, type, member)                                                          \
    OPTION_ROW(struct ports_settings, name, argument, type, member)
static const struct option_row options[] = {
    {ROW("kind", "KIND", OPTION_CHOICE, kind), .measured = true, .preset = "all",
     .choices = port_kind_names,
     .help = "which instructions: int (additions of whole numbers), int-mul, fp (FMA of doubles), "
             "fp-add, fp-mul, shuffle, or all (additions of both kinds and multiplications)"},
    {0},
};

static const char details[] =
    "Disturbs a sibling thread of the core (SMT): the execution ports of that kind, and the core's "
    "width; what runs on the same CPU in turns loses the CPU's time alone. Leaves alone: caches, "
    "TLB, memory (it works on registers, without wide vectors), other cores but for the clock of "
    "the socket. One operation of the rate is one instruction. The summary's "
    "instructions_per_cycle is the proof; per_cycle_possible is what the core's ports can start, "
    "where that is known, of int and fp.";

static void check(struct run *run)
{
    const struct ports_settings *set = run->settings;
    struct ports_state *state = run->state;
    run->unit = UNIT_OPS;
    if (!options_given(run->options, "threads"))
        run->threads = 1;
    state->kernel = port_kernel_of((enum port_kind)set->kind);
    run->quantum = state->kernel.blocks * state->kernel.instructions;
}

/* ---- workers ---- */

static double operate(struct worker *worker)
{
    const struct ports_state *state = worker->run->state;
    const struct ports_settings *set = worker->run->settings;
    if (!state->kernel.run(state->kernel.blocks, 0))
        return worker_fail(worker,
                           "a wrong result of %s on CPU %d: do not trust this CPU, or this build",
                           port_kind_names[set->kind], worker->cpu);
    clock_sample(worker, worker->state);
    return worker->run->quantum;
}

/* ---- reports ---- */

/* Of one worker while it works. */
static double per_cycle(const struct snapshot *window)
{
    return 1e9 / ns_per_unit(window) / clock_mean(window);
}

/* NAN: not known; a core that starts more than it could is not the one of the table. */
static double possible(const struct run *run, const struct snapshot *window)
{
    const struct ports_state *state = run->state;
    const double most = state->kernel.per_cycle;
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
    line_fixed(line, "busy_s", (double)window->busy_ns / 1e9, 6);
    line_fixed(line, "clock_hz", clock_mean(window), 0);
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
                 port_kind_names[set->kind], per_cycle(window), most, clock_mean(window) / 1e9);
}

static const struct load ports_load = {
    .name = "ports",
    .summary = "keeps a core's execution ports busy: integer, floating point, shuffle",
    .details = details,
    .options = options,
    .options_size = sizeof(struct ports_settings),
    .state_size = sizeof(struct ports_state),
    .worker_size = sizeof(int64_t), /* of clock_sample() */
    .calibrations = (const char *const[]){"", NULL},
    .timed = true,
    .pinned = true,
    .check = check,
    .operate = operate,
    .describe = describe,
    .fields = fields,
    .notes = notes,

};
LOADGEN_REGISTER(ports_load);
