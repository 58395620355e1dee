/* loadgen ports: execution ports. Starts as many instructions of one kind as the core can, on
 * registers alone: what shares the core at the same time, a sibling thread, waits for its
 * turn at these ports. See kernels.h for where the kinds are from. */

#include "core/kernels.h"
#include "core/touches.h"
#include "load.h"
#include "ops/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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
    struct ports_state *state = run->state;
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
    touches_close(run);
    free(state_of(run)->clocks);
}

/* ---- workers ---- */

static int begin(struct worker *worker)
{
    struct ports_worker *own = worker->state;
    own->kernel = state_of(worker->run)->kernel;
    return 0;
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
    .state_size = sizeof(struct ports_state),
    .worker_size = sizeof(struct ports_worker),
    .calibrations = calibrations,
    .timed = true,
    .pinned = true,
    .settle_ns = 20000000,
    .check = check,
    .prepare = prepare,
    .begin = begin,
    .operate = operate,
    .cleanup = cleanup,
    .report = &reports,
    .accounting = &accounting,
};
LOADGEN_REGISTER(ports_load);
