#include "fair.h"

#include <math.h>

// chance[m]: that m of the tasks would compute at a moment, were each alone.
struct crowd {
    double chance[FAIR_TASKS + 1];
    size_t tasks;
};

static void crowd_add(struct crowd *crowd, double busy)
{
    crowd->chance[crowd->tasks + 1] = 0;
    for (size_t m = ++crowd->tasks; m > 0; m--)
        crowd->chance[m] = crowd->chance[m] * (1 - busy) + crowd->chance[m - 1] * busy;
    crowd->chance[0] *= 1 - busy;
}

// A program is as many tasks as it has threads, each computing an equal part of the time.
static bool crowd_add_program(struct crowd *crowd, struct fair_program program)
{
    const double cpus = program.cpus, least = ceil(cpus - 0.05);
    if (!(cpus >= 0) || cpus > FAIR_TASKS)
        return false;
    double threads = program.threads >= least ? round(program.threads) : least;
    threads = threads < 1 ? 1 : threads;
    if ((double)crowd->tasks + threads > FAIR_TASKS)
        return false;
    for (size_t i = 0; i < (size_t)threads; i++)
        crowd_add(crowd, fmin(cpus / threads, 1));
    return true;
}

// The normalising constant of the product form, over the tasks' time alone: m tasks that
// compute progress at a rate of min(m, capacity).
static double crowd_constant(const struct crowd *crowd, size_t capacity)
{
    double sum = 0, stretch = 1;
    for (size_t m = 0; m <= crowd->tasks; m++) {
        if (m > capacity)
            stretch *= (double)m / (double)capacity;
        sum += crowd->chance[m] * stretch;
    }
    return sum;
}

// How surely a program is served at once: by the length of its bursts, from measurements with
// EEVDF on 2 CPUs (bench/tools/fair-share).
static double promptness(double burst_s)
{
    const double surely_s = 1e-3, never_s = 3e-3;
    return burst_s >= 0 ? fmin(fmax((never_s - burst_s) / (never_s - surely_s), 0), 1) : 0;
}

static double share_by_turns(const struct fair_program *program, size_t count, size_t capacity)
{
    struct crowd others = {.chance = {1}}, all, own = {.chance = {1}};
    for (size_t i = 1; i < count; i++)
        if (!crowd_add_program(&others, program[i]))
            return NAN;
    all = others;
    if (!crowd_add_program(&all, program[0]) || !crowd_add_program(&own, program[0]))
        return NAN;
    // What it takes beside the others, over what it takes alone, where its threads may have to
    // share the CPUs, too.
    return crowd_constant(&all, capacity) /
           (crowd_constant(&others, capacity) * crowd_constant(&own, capacity));
}

// Max-min fairness: nobody gets more than it wants, and those that want more get equal shares. The
// level of these is where all shares together are the capacity.
static double share_over_time(const struct fair_program *program, size_t count, size_t capacity)
{
    double low = 0, high = program[0].cpus;
    for (size_t i = 1; i < count; i++)
        high = fmax(high, program[i].cpus);
    for (unsigned step = 0; step < 60; step++) {
        const double level = (low + high) / 2;
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += fmin(program[i].cpus, level);
        if (sum > (double)capacity)
            high = level;
        else
            low = level;
    }
    return program[0].cpus > high ? program[0].cpus / high : 1;
}

double fair_slowdown(const struct fair_program *program, size_t count, size_t capacity)
{
    double late = 1;
    if (capacity == 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        late *= 1 - promptness(program[i].burst_s);
    const double by_turns = share_by_turns(program, count, capacity);
    return late == 1 || !isfinite(by_turns)
               ? by_turns
               : late * by_turns + (1 - late) * share_over_time(program, count, capacity);
}

double fair_slowdown_by_load(struct fair_program program, double load_cpus, size_t capacity)
{
    if (capacity == 0)
        return 1;
    if (capacity > 1) {
        const struct fair_program both[] = {program, {load_cpus, (double)capacity, NAN}};
        return fair_slowdown(both, 2, capacity);
    }
    if (!(program.cpus >= 0) || !(load_cpus >= 0))
        return NAN;
    const double busy = fmin(program.cpus, 1), prompt = promptness(program.burst_s);
    const double left = fmax(1 - load_cpus, 0.5);
    return (1 - prompt) * (1 - busy + busy / left) + prompt * fmax(busy / left, 1);
}
