#include "machine_programs.h"

#include <gsl/gsl_randist.h>
#include <math.h>

static const double lap_s = 0.4;

const char *machine_kind_name(enum machine_kind kind)
{
    static const char *const names[] = {"cpu", "mem", "cache", "io"};
    return names[kind];
}

const char *machine_reporter_name(enum machine_reporter reporter)
{
    static const char *const names[] = {"gap", "adds", "l3", "memory", "read", "disk_read"};
    return names[reporter];
}

// Between both, evenly in the logarithm.
static double between(gsl_rng *rng, double low, double high)
{
    return exp(gsl_ran_flat(rng, log(low), log(high)));
}

struct demand machine_draw(const struct machine *machine, gsl_rng *rng)
{
    // Most programs compute, many use the cache and memory, some the disk: the load `mem` at 100 %
    // costs half of them less than 11 %, a tenth more than 75 %, much as real ones.
    const double weight[] = {2, 0.7, 0.3};
    double share[3];
    gsl_ran_dirichlet(rng, 3, weight, share);
    struct demand program = {.compute_s = lap_s * share[0],
                             .footprint_bytes = machine->l3_bytes * between(rng, 0.02, 4),
                             .overlap = between(rng, 1.5, 8),
                             .stream = gsl_ran_flat(rng, 0, 0.5) * gsl_ran_flat(rng, 0, 1),
                             .disk_ops = lap_s * share[2] / machine->disk_s,
                             .burst_s = between(rng, 2e-3, 0.2)};
    // So many loads that they take their share of the time with the machine idle.
    const double held = fmin(1, machine->l3_bytes / program.footprint_bytes);
    const double missed = program.stream + (1 - program.stream) * pow(1 - held, 1.5);
    program.accesses = lap_s * share[1] * program.overlap /
                       ((1 - missed) * machine->l3_s + missed * machine->memory_s);
    return program;
}

// So often as it can alone.
static double alone_rate(const struct machine *machine, const struct demand *program)
{
    struct lap lap;
    machine_run(machine, program, 1, false, &lap);
    return 1 / lap.wall_s;
}

struct demand machine_load(const struct machine *machine, enum machine_kind kind, double level)
{
    const double lap = 1e-3;
    struct demand load = {.overlap = 10, .footprint_bytes = 64 << 10, .burst_s = 1e-4};
    if (kind == MACHINE_CPU)
        load.compute_s = lap;
    if (kind == MACHINE_MEM) {
        load.stream = 1;
        load.footprint_bytes = 16 * machine->l3_bytes;
        load.accesses = lap * load.overlap / machine->memory_s;
    }
    if (kind == MACHINE_CACHE) {
        load.overlap = 4;
        load.footprint_bytes = fmax(level, 1e-3) * machine->l3_bytes;
        load.accesses = lap * load.overlap / machine->l3_s;
    }
    if (kind == MACHINE_IO)
        load.disk_ops = lap / machine->disk_s;
    if (kind != MACHINE_CACHE)
        load.rate = fmax(level, 1e-6) * alone_rate(machine, &load);
    return load;
}

struct demand machine_reporter(const struct machine *machine, enum machine_reporter reporter)
{
    const double lap = 1e-3;
    struct demand program = {.overlap = 1, .footprint_bytes = 4 << 10};
    if (reporter == MACHINE_GAP || reporter == MACHINE_ADDS)
        program.compute_s = lap;
    if (reporter == MACHINE_L3) {
        program.footprint_bytes = machine->l3_bytes / 2;
        program.accesses = lap / machine->l3_s;
    }
    if (reporter == MACHINE_MEMORY || reporter == MACHINE_READ) {
        program.overlap = reporter == MACHINE_READ ? 10 : 1;
        program.stream = 1;
        program.footprint_bytes = 16 * machine->l3_bytes;
        program.accesses = lap * program.overlap / machine->memory_s;
    }
    if (reporter == MACHINE_DISK)
        program.disk_ops = lap / machine->disk_s;
    return program;
}

double machine_reading(const struct machine *machine, enum machine_reporter reporter,
                       const struct demand *neighbour, bool same_core)
{
    struct demand both[2] = {machine_reporter(machine, reporter)};
    struct lap alone, beside[2];
    if (!neighbour)
        return 0;
    both[1] = *neighbour;
    machine_run(machine, both, 1, same_core, &alone);
    machine_run(machine, both, 2, same_core, beside);
    // CPU kernels are timed by the thread's own CPU clock, so that waiting for one is the gap's.
    if (reporter == MACHINE_GAP)
        return log(beside[0].wall_s / beside[0].cpu_s);
    if (reporter == MACHINE_DISK)
        return log(beside[0].wall_s / alone.wall_s);
    return log(beside[0].cpu_s / alone.cpu_s);
}
