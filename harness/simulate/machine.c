#include "machine.h"

#include <math.h>

enum { ROUNDS = 400, BISECTIONS = 40, LINE_BYTES = 64 };

static const double damping = 0.25, settled = 1e-7, most_used = 0.98;

struct machine machine_usual(void)
{
    return (struct machine){.l3_bytes = 32 << 20,
                            .l2_bytes = 1 << 20,
                            .l3_s = 15e-9,
                            .memory_s = 80e-9,
                            .bandwidth = 12e9,
                            .disk_s = 100e-6,
                            .turbo = 0.03,
                            .slice_s = 4e-3,
                            .prompt_s = 1e-3,
                            .queue = 0.6,
                            .protect = 4};
}

// What moves while the equations settle.
struct state {
    const struct machine *machine;
    const struct demand *program;
    size_t count;
    bool same_core;
    double memory_s;                   // of a load from memory now
    double occupied[MACHINE_PROGRAMS]; // bytes of the cache
    double share[MACHINE_PROGRAMS];    // of a CPU, while it wants one
    double disk_s[MACHINE_PROGRAMS];   // of an operation, with its wait
    struct lap lap[MACHINE_PROGRAMS];
};

// Share of the accesses that go to memory: those of a stream, and of the others those whose
// line others have pushed out. A part of the footprint is used more than the rest, so the first
// bytes that are lost cost least.
static double missed(const struct demand *program, double occupied)
{
    const double held =
        program->footprint_bytes > occupied ? occupied / program->footprint_bytes : 1;
    return program->stream + (1 - program->stream) * pow(1 - held, 1.5);
}

static double period_s(const struct demand *program, const struct lap *lap)
{
    return program->rate > 0 ? fmax(lap->wall_s, 1 / program->rate) : lap->wall_s;
}

// The others' share of CPUs, that is how many of them are busy.
static double others_busy(const struct state *state, size_t one)
{
    double busy = 0;
    for (size_t i = 0; i < state->count; i++)
        busy += i != one ? state->lap[i].cpus : 0;
    return busy;
}

// On a shared core each time slice finds the own L2 full of the other's lines.
static double cold_s(const struct state *state, size_t one, double cpu_s)
{
    const struct machine *machine = state->machine;
    const struct demand *program = &state->program[one];
    if (!state->same_core || program->accesses <= 0)
        return 0;
    const double lines = fmin(program->footprint_bytes, machine->l2_bytes) / LINE_BYTES;
    const double refill_s = lines * machine->l3_s / program->overlap;
    return cpu_s / machine->slice_s * refill_s * fmin(1, 2 * others_busy(state, one));
}

// A lap at this latency of memory.
static void take_lap(struct state *state, size_t one, double memory_s)
{
    const struct machine *machine = state->machine;
    const struct demand *program = &state->program[one];
    const double miss = missed(program, state->occupied[one]);
    const double slower = 1 + machine->turbo * (state->same_core ? 0 : others_busy(state, one));
    struct lap *lap = &state->lap[one];
    lap->cpu_s =
        program->compute_s * slower + program->accesses / program->overlap *
                                          ((1 - miss) * machine->l3_s * slower + miss * memory_s);
    lap->cpu_s += cold_s(state, one, lap->cpu_s);
    lap->wall_s = lap->cpu_s / state->share[one] + program->disk_ops * state->disk_s[one];
}

static double used_bandwidth(struct state *state, double memory_s)
{
    double bytes = 0;
    for (size_t i = 0; i < state->count; i++) {
        const struct demand *program = &state->program[i];
        take_lap(state, i, memory_s);
        bytes += program->accesses * missed(program, state->occupied[i]) * LINE_BYTES /
                 period_s(program, &state->lap[i]);
    }
    return bytes / state->machine->bandwidth;
}

// Latency under load: that of an idle memory and a queue's, t0 (1 + q u^2 / (1 - u)).
static double latency_s(const struct machine *machine, double used)
{
    const double u = fmin(used, most_used);
    return machine->memory_s * (1 + machine->queue * u * u / (1 - u));
}

// The more latency, the less is used, and the other way round: there is one solution.
static void settle_memory(struct state *state)
{
    double low = state->machine->memory_s, high = latency_s(state->machine, 1);
    for (size_t i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        if (latency_s(state->machine, used_bandwidth(state, middle)) > middle)
            low = middle;
        else
            high = middle;
    }
    state->memory_s = (low + high) / 2;
    (void)used_bandwidth(state, state->memory_s);
    for (size_t i = 0; i < state->count; i++)
        state->lap[i].cpus = state->lap[i].cpu_s / period_s(&state->program[i], &state->lap[i]);
}

// Each gets cache in proportion to how fast it brings lines in, or keeps them by use; no more
// than it can use: what is left is divided among the others.
static void divide_cache(const struct state *state, double *want)
{
    double weight[MACHINE_PROGRAMS], left = state->machine->l3_bytes, sum = 0;
    bool full[MACHINE_PROGRAMS] = {false};
    for (size_t i = 0; i < state->count; i++) {
        const struct demand *program = &state->program[i];
        weight[i] = program->accesses / period_s(program, &state->lap[i]) *
                    (missed(program, state->occupied[i]) + state->machine->protect);
        sum += weight[i];
        want[i] = 0;
    }
    for (bool again = true; again && sum > 0;) {
        again = false;
        for (size_t i = 0; i < state->count; i++) {
            const struct demand *program = &state->program[i];
            const double most =
                program->stream > 0 ? state->machine->l3_bytes : program->footprint_bytes;
            if (full[i] || weight[i] / sum * left < most)
                continue;
            want[i] = fmin(most, left);
            left -= want[i];
            sum -= weight[i];
            full[i] = again = true;
            break;
        }
    }
    for (size_t i = 0; i < state->count; i++)
        if (!full[i] && sum > 0)
            want[i] = weight[i] / sum * left;
}

// How surely a program is served at once when it wants the CPU: the scheduler owes it time while
// it uses less than its share, in bursts that are short beside a time slice. Others take turns.
static double prompt(const struct state *state, size_t one)
{
    const double burst_s = state->program[one].burst_s, prompt_s = state->machine->prompt_s;
    const double half = 1 / (double)state->count;
    if (burst_s <= 0)
        return 0;
    const double owed = fmin(1, fmax(0, (half - state->lap[one].cpus) / (0.2 * half)));
    return owed * prompt_s / (prompt_s + burst_s);
}

// Of the CPU while it wants it: each other wants it too for a part of the time, and has then
// half of it, or more or less as it is served before this one.
static double fair_share(const struct state *state, size_t one)
{
    double share = 1;
    for (size_t i = 0; state->same_core && i < state->count; i++) {
        const double wants = fmin(1, state->lap[i].cpus / state->share[i]);
        const double others = (1 + prompt(state, i) - prompt(state, one)) / 2;
        share *= i != one ? 1 - wants * others : 1;
    }
    return fmax(share, 1 / (double)state->count);
}

// An operation finds those of the others in the queue (mean value analysis, M. Reiser and
// S. S. Lavenberg, J. ACM 27 (1980) 313-322: each has one operation at a time).
static double response_s(const struct state *state, size_t one)
{
    double queued = 0;
    for (size_t i = 0; i < state->count; i++)
        if (i != one)
            queued += fmin(1, state->program[i].disk_ops * state->disk_s[i] /
                                  period_s(&state->program[i], &state->lap[i]));
    return state->machine->disk_s * (1 + queued);
}

static double toward(double *value, double target)
{
    const double step = damping * (target - *value);
    *value += step;
    return fabs(step) / fmax(fabs(target), 1e-12);
}

void machine_run(const struct machine *machine, const struct demand *programs, size_t count,
                 bool same_core, struct lap *laps)
{
    struct state state = {
        .machine = machine, .program = programs, .count = count, .same_core = same_core};
    for (size_t i = 0; i < count; i++) {
        state.occupied[i] = fmin(machine->l3_bytes / (double)count, programs[i].footprint_bytes);
        state.share[i] = same_core ? 1 / (double)count : 1;
        state.disk_s[i] = machine->disk_s;
    }
    double moved = 1;
    for (size_t round = 0; round < ROUNDS && moved > settled; round++) {
        double want[MACHINE_PROGRAMS];
        settle_memory(&state);
        divide_cache(&state, want);
        moved = 0;
        for (size_t i = 0; i < count; i++) {
            moved = fmax(moved, toward(&state.occupied[i], want[i]));
            moved = fmax(moved, toward(&state.share[i], fair_share(&state, i)));
            moved = fmax(moved, toward(&state.disk_s[i], response_s(&state, i)));
        }
    }
    settle_memory(&state);
    for (size_t i = 0; i < count; i++)
        laps[i] = state.lap[i];
}

double machine_slowdown(const struct machine *machine, const struct demand *programs, size_t count,
                        bool same_core)
{
    struct lap alone, beside[MACHINE_PROGRAMS];
    machine_run(machine, programs, 1, same_core, &alone);
    machine_run(machine, programs, count, same_core, beside);
    return beside[0].wall_s / alone.wall_s;
}
