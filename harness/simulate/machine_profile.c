#include "machine_profile.h"

#include "harness/profile/pressure.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// As it was measured on a virtual machine.
static const double spell = 0.55;
static const double confidence = 0.95;
const double machine_levels[MACHINE_LEVELS] = {0.25, 0.5, 0.75, 1};

double machine_noise_next(struct machine_noise *noise)
{
    noise->state =
        spell * noise->state + sqrt(1 - spell * spell) * gsl_ran_gaussian_ziggurat(noise->rng, 1);
    return exp(noise->sd * noise->state - noise->sd * noise->sd / 2);
}

void machine_know(const struct machine *machine, const struct demand *demand, bool same_core,
                  struct machine_known *known)
{
    struct demand both[2] = {*demand};
    known->demand = *demand;
    machine_run(machine, demand, 1, same_core, &known->alone);
    for (enum machine_kind kind = 0; kind < MACHINE_KINDS; kind++)
        for (size_t i = 0; i < MACHINE_LEVELS; i++) {
            struct lap lap[2];
            both[1] = machine_load(machine, kind, machine_levels[i]);
            machine_run(machine, both, 2, same_core, lap);
            known->slowdown[kind][i] = lap[0].wall_s / known->alone.wall_s;
            known->cpu_ratio[kind][i] = lap[0].cpu_s / known->alone.cpu_s;
            known->load_cpus[kind][i] = lap[1].cpus;
        }
    for (enum machine_reporter i = 0; i < MACHINE_REPORTERS; i++)
        known->reading[i] = machine_reading(machine, i, demand, same_core);
}

void machine_curves_make(const struct machine *machine, bool same_core,
                         struct machine_curves *curves)
{
    for (enum machine_kind kind = 0; kind < MACHINE_KINDS; kind++)
        for (size_t i = 0; i < MACHINE_LEVELS; i++) {
            const struct demand load = machine_load(machine, kind, machine_levels[i]);
            for (enum machine_reporter r = 0; r < MACHINE_REPORTERS; r++)
                curves->reading[kind][i][r] = machine_reading(machine, r, &load, same_core);
        }
}

// Log ratio of a reading to that of the same block alone, each with the noise of its time.
static double read_once(double exact, struct machine_noise *noise)
{
    const double alone = machine_noise_next(noise);
    return exact + log(machine_noise_next(noise) / alone);
}

void machine_reference(const struct machine_curves *curves, struct machine_noise *noise,
                       struct invert_curves *reference)
{
    *reference = (struct invert_curves){
        .reporters = MACHINE_REPORTERS, .kinds = MACHINE_KINDS, .points = MACHINE_LEVELS + 1};
    for (size_t kind = 0; kind < MACHINE_KINDS; kind++) {
        reference->usable[kind] = true;
        for (size_t i = 0; i < MACHINE_LEVELS; i++) {
            reference->level[i + 1] = machine_levels[i];
            for (size_t r = 0; r < MACHINE_REPORTERS; r++) {
                double value[MACHINE_BLOCKS];
                for (size_t b = 0; b < MACHINE_BLOCKS; b++)
                    value[b] = read_once(curves->reading[kind][i][r], noise);
                reference->value[kind][i + 1][r] = gsl_stats_mean(value, 1, MACHINE_BLOCKS);
                reference->variance[kind][i + 1][r] =
                    gsl_stats_variance(value, 1, MACHINE_BLOCKS) / MACHINE_BLOCKS;
            }
        }
    }
}

// One interleaved experiment: in each block all conditions, in random order.
struct blocks {
    double alone_s[MACHINE_BLOCKS];
    double loaded_s[MACHINE_KINDS][MACHINE_LEVELS][MACHINE_BLOCKS];
};

static void run_blocks(const struct machine_known *known, struct machine_noise *noise,
                       struct blocks *blocks)
{
    enum { CONDITIONS = 1 + MACHINE_KINDS * MACHINE_LEVELS };
    size_t order[CONDITIONS];
    for (size_t i = 0; i < CONDITIONS; i++)
        order[i] = i;
    for (size_t b = 0; b < MACHINE_BLOCKS; b++) {
        gsl_ran_shuffle(noise->rng, order, CONDITIONS, sizeof *order);
        for (size_t i = 0; i < CONDITIONS; i++) {
            const double time_s = known->alone.wall_s * machine_noise_next(noise);
            const size_t cell = order[i] - 1;
            if (order[i] == 0)
                blocks->alone_s[b] = time_s;
            else
                blocks->loaded_s[cell / MACHINE_LEVELS][cell % MACHINE_LEVELS][b] =
                    time_s * known->slowdown[cell / MACHINE_LEVELS][cell % MACHINE_LEVELS];
        }
    }
}

static void derive_alone(const struct machine_known *known, const struct blocks *blocks,
                         struct program_profile *profile)
{
    double logs[MACHINE_BLOCKS];
    for (size_t b = 0; b < MACHINE_BLOCKS; b++)
        logs[b] = log(blocks->alone_s[b]);
    profile->alone.mean_s = gsl_stats_mean(blocks->alone_s, 1, MACHINE_BLOCKS);
    profile->alone.sd_s = gsl_stats_sd(blocks->alone_s, 1, MACHINE_BLOCKS);
    profile->alone.n = MACHINE_BLOCKS;
    profile->alone.threads = 1;
    profile->alone.cpus_used = known->alone.cpu_s / known->alone.wall_s;
    profile->alone.burst_s = known->demand.burst_s > 0 ? known->demand.burst_s : NAN;
    profile->noise.sd = gsl_stats_sd(logs, 1, MACHINE_BLOCKS);
    profile->noise.correlation = gsl_stats_lag1_autocorrelation(logs, 1, MACHINE_BLOCKS);
    profile->noise.n = MACHINE_BLOCKS;
}

static void derive_sensitivity(const struct machine_known *known, const struct blocks *blocks,
                               struct program_profile *profile)
{
    sensitivity_begin(&profile->sensitivity, confidence);
    for (enum machine_kind kind = 0; kind < MACHINE_KINDS; kind++)
        for (size_t i = 0; i < MACHINE_LEVELS; i++) {
            struct sensitivity_point point =
                sensitivity_estimate(machine_levels[i], 1, blocks->alone_s,
                                     blocks->loaded_s[kind][i], MACHINE_BLOCKS, confidence);
            point.load_cpus = known->load_cpus[kind][i];
            point.cpu_ratio = known->cpu_ratio[kind][i];
            (void)sensitivity_add(&profile->sensitivity, machine_kind_name(kind), &point);
        }
    sensitivity_fit(&profile->sensitivity);
}

static void derive_pressure(const struct machine_known *known,
                            const struct invert_curves *reference, struct machine_noise *noise,
                            struct program_profile *profile)
{
    enum { BLOCKS = 2 * MACHINE_BLOCKS };
    const char *reporter[MACHINE_REPORTERS], *kind[MACHINE_KINDS];
    double ratio[BLOCKS][MACHINE_REPORTERS], misfit_p;
    const struct pressure_readings readings = {.blocks = BLOCKS,
                                               .reporters = MACHINE_REPORTERS,
                                               .name = reporter,
                                               .log_ratio = &ratio[0][0]};
    struct invert_reading reading;
    for (enum machine_reporter r = 0; r < MACHINE_REPORTERS; r++)
        reporter[r] = machine_reporter_name(r);
    for (enum machine_kind k = 0; k < MACHINE_KINDS; k++)
        kind[k] = machine_kind_name(k);
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t r = 0; r < MACHINE_REPORTERS; r++)
            ratio[b][r] = read_once(known->reading[r], noise);
    pressure_reporters(profile, &readings);
    pressure_reading(&reading, &readings, confidence, reporter, MACHINE_REPORTERS);
    if (!pressure_levels(profile, reference, kind, &reading, &misfit_p))
        profile->levels = 0;
}

void machine_profile(const struct machine_known *known, const char *name, const char *place,
                     const struct invert_curves *reference, struct machine_noise *noise,
                     struct program_profile *profile)
{
    struct blocks blocks;
    profile_begin(profile);
    (void)snprintf(profile->name, sizeof profile->name, "%s", name);
    (void)snprintf(profile->version, sizeof profile->version, "%s", JOSTLE_VERSION);
    (void)snprintf(profile->host, sizeof profile->host, "equations");
    memset(profile->machine, '0', IDENTITY_DIGITS);
    (void)snprintf(profile->place, sizeof profile->place, "%s", place);
    (void)snprintf(profile->target_cpus, sizeof profile->target_cpus, "0");
    (void)snprintf(profile->load_cpus, sizeof profile->load_cpus, "%d",
                   strcmp(place, "core") == 0 ? 0 : 1);
    profile->confidence = confidence;
    run_blocks(known, noise, &blocks);
    derive_alone(known, &blocks, profile);
    derive_sensitivity(known, &blocks, profile);
    derive_pressure(known, reference, noise, profile);
    profile->pressure_cpus_used = profile->alone.cpus_used;
}

double machine_measure(double slowdown, struct machine_noise *noise)
{
    double alone_s = 0, beside_s = 0;
    for (size_t b = 0; b < MACHINE_PAIR_BLOCKS; b++) {
        alone_s += machine_noise_next(noise);
        beside_s += slowdown * machine_noise_next(noise);
    }
    return beside_s / alone_s;
}
