#include "population.h"

#include "harness/stats/ranks.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

// Moving populations change over this many runs (30 of each of two conditions).
static const double session_runs = 60;
static const double mode_gap = 0.10, outlier_delay = 0.30, warm_up_runs = 3;
static const double chained = 0.6; // probability that a stall follows a stall
enum { MANY = 100000 };            // draws that show a median or a spread

const struct population populations[] = {
    {.name = "normal-1%", .shape = NORMAL, .cv = 0.01},
    {.name = "normal-5%", .shape = NORMAL, .cv = 0.05},
    {.name = "normal-20%", .shape = NORMAL, .cv = 0.20},
    {.name = "lognormal-20%", .shape = LOGNORMAL, .cv = 0.20},
    {.name = "lognormal-40%", .shape = LOGNORMAL, .cv = 0.40},
    {.name = "gamma-20%", .shape = GAMMA, .cv = 0.20},
    {.name = "gamma-50%", .shape = GAMMA, .cv = 0.50},
    {.name = "bimodal-50/50", .shape = BIMODAL, .cv = 0.01, .amount = 0.5},
    {.name = "bimodal-70/30", .shape = BIMODAL, .cv = 0.01, .amount = 0.3},
    {.name = "heteroscedastic", .shape = NORMAL, .cv = 0.02, .loaded_cv = 0.15},
    {.name = "quantised-fine", .shape = QUANTISED, .cv = 0.02, .amount = 0.01},
    {.name = "quantised-coarse", .shape = QUANTISED, .cv = 0.02, .amount = 0.08, .hard = true},
    {.name = "outliers-1%", .shape = OUTLIERS, .cv = 0.01, .amount = 0.01, .unseen = true},
    {.name = "outliers-5%", .shape = OUTLIERS, .cv = 0.01, .amount = 0.05, .unseen = true},
    {.name = "drift-5%", .shape = DRIFT, .cv = 0.01, .amount = 0.05, .hard = true, .silent = 2},
    {.name = "step-5%", .shape = STEP, .cv = 0.01, .amount = 0.05, .hard = true, .silent = 2},
    {.name = "ar1-0.5",
     .shape = AUTOREGRESSIVE,
     .cv = 0.02,
     .amount = 0.5,
     .hard = true,
     .silent = 8},
    {.name = "ar1-0.7",
     .shape = AUTOREGRESSIVE,
     .cv = 0.02,
     .amount = 0.7,
     .hard = true,
     .silent = 8},
    {.name = "ar1-0.9",
     .shape = AUTOREGRESSIVE,
     .cv = 0.02,
     .amount = 0.9,
     .hard = true,
     .silent = 5},
    {.name = "warm-up", .shape = WARM_UP, .cv = 0.01, .amount = 0.10, .hard = true, .silent = 2},
    // A quiet baseline, and what a load does to it.
    {.name = "load-lognormal-30%",
     .shape = LOGNORMAL,
     .cv = 0.01,
     .loaded_cv = 0.30,
     .quiet = true},
    {.name = "load-exponential-10%",
     .shape = EXPONENTIAL,
     .cv = 0.01,
     .amount = 0.10,
     .quiet = true},
    {.name = "load-delays-10%",
     .shape = DELAYS,
     .cv = 0.01,
     .amount = 0.10,
     .spread = 1,
     .quiet = true},
    {.name = "load-delays-20%",
     .shape = DELAYS,
     .cv = 0.01,
     .amount = 0.20,
     .spread = 0.7,
     .quiet = true},
    {.name = "load-stalls-30%x30%",
     .shape = STALLS,
     .cv = 0.01,
     .amount = 0.30,
     .spread = 0.30,
     .quiet = true},
    {.name = "load-stalls-20%x10%",
     .shape = STALLS,
     .cv = 0.01,
     .amount = 0.20,
     .spread = 0.10,
     .quiet = true},
    {.name = "load-stalls-20%x100%",
     .shape = STALLS,
     .cv = 0.01,
     .amount = 0.20,
     .spread = 1,
     .quiet = true},
    {.name = "load-stalls-10%x30%",
     .shape = STALLS,
     .cv = 0.01,
     .amount = 0.10,
     .spread = 0.30,
     .quiet = true,
     .unseen = true},
    // Chosen before the corrections were tried on them, and not used to tune any.
    {.name = "periodic-5%",
     .shape = PERIODIC,
     .cv = 0.01,
     .amount = 0.05,
     .spread = 7,
     .held_out = true,
     .hard = true,
     .silent = 8},
    {.name = "bursty-10%",
     .shape = BURSTY,
     .cv = 0.01,
     .amount = 0.10,
     .spread = 6,
     .held_out = true,
     .hard = true,
     .silent = 8},
    {.name = "wandering-0.5%",
     .shape = WANDERING,
     .cv = 0.01,
     .amount = 0.005,
     .held_out = true,
     .hard = true,
     .silent = 8},
    {.name = "student-3-2%", .shape = STUDENT, .cv = 0.02, .spread = 3, .held_out = true},
    {.name = "load-weibull-15%",
     .shape = WEIBULL,
     .cv = 0.01,
     .amount = 0.15,
     .spread = 0.7,
     .quiet = true,
     .held_out = true},
    {.name = "load-pareto-15%",
     .shape = PARETO,
     .cv = 0.02,
     .amount = 0.15,
     .spread = 3.5,
     .quiet = true,
     .held_out = true},
    {.name = "load-stalls-25%x40%",
     .shape = STALLS,
     .cv = 0.02,
     .amount = 0.25,
     .spread = 0.40,
     .quiet = true,
     .held_out = true},
    {.name = "load-stalls-15%x60%",
     .shape = STALLS,
     .cv = 0.03,
     .amount = 0.15,
     .spread = 0.60,
     .quiet = true,
     .held_out = true,
     .unseen = true},
    {.name = "load-varied-30%x40%",
     .shape = STALLS_VARIED,
     .cv = 0.02,
     .amount = 0.30,
     .spread = 0.40,
     .quiet = true,
     .held_out = true},
    {.name = "load-chained-20%x30%",
     .shape = STALLS_CHAINED,
     .cv = 0.02,
     .amount = 0.20,
     .spread = 0.30,
     .quiet = true,
     .held_out = true,
     .unseen = true},
};
const size_t population_count = sizeof populations / sizeof populations[0];

// Between the two modes.
static double gap_of(const struct population *p)
{
    return p->spread > 0 ? p->spread : mode_gap;
}

static double normal(gsl_rng *rng, double sd)
{
    return gsl_ran_gaussian_ziggurat(rng, sd);
}

// The share of time that bursts take.
static const double bursts = 1.0 / 3;

void stream_begin(struct stream *stream, const struct population *p, bool alone, gsl_rng *rng)
{
    *stream = (struct stream){.population = p, .rng = rng, .alone = alone};
    stream->level = p->shape == PERIODIC || p->shape == EVERY ? gsl_rng_uniform(rng)
                    : p->shape == WANDERING                   ? 0
                                                              : normal(rng, p->cv);
    stream->step_at = gsl_rng_uniform_int(rng, (unsigned long)session_runs);
    stream->on = gsl_rng_uniform(rng) < (p->shape == BURSTY ? bursts : p->amount);
}

// Whether a chain that is on for `share` of the runs, and stays so with probability
// `stay`, is on in the next.
static bool chain(struct stream *stream, double share, double stay)
{
    const double begin = (1 - stay) * share / (1 - share);
    stream->on = gsl_rng_uniform(stream->rng) < (stream->on ? stay : begin);
    return stream->on;
}

// The level that both conditions share at this moment.
static double advance(struct stream *stream)
{
    const struct population *p = stream->population;
    double time = (double)stream->time++;
    switch (p->shape) {
    case DRIFT:
        return 1 + p->amount * time / session_runs;
    case STEP:
        return stream->time > stream->step_at ? 1 + p->amount : 1;
    case WARM_UP:
        return 1 + p->amount * exp(-time / warm_up_runs);
    case AUTOREGRESSIVE:
        stream->level = p->amount * stream->level +
                        normal(stream->rng, p->cv * sqrt(1 - p->amount * p->amount));
        return 1 + stream->level;
    case PERIODIC:
        return 1 + p->amount * sin(2 * M_PI * (stream->level + time / p->spread));
    case EVERY:
        return fmod(time + floor(stream->level * p->spread), p->spread) < 1 ? 1 + p->amount : 1;
    case BURSTY:
        return 1 + p->amount * ((chain(stream, bursts, 1 - 1 / p->spread) ? 1 : 0) - bursts);
    case WANDERING:
        stream->level += normal(stream->rng, p->amount);
        return exp(stream->level);
    default:
        return 1;
    }
}

// Of mean 1, what a stall adds included.
static double stalled(const struct population *p, gsl_rng *rng, double cv, double length)
{
    return (1 + length + normal(rng, cv)) / (1 + p->amount * p->spread);
}

// A delay of mean 1.
static double delay(const struct population *p, gsl_rng *rng)
{
    switch (p->shape) {
    case EXPONENTIAL:
        return gsl_ran_exponential(rng, 1);
    case WEIBULL:
        return gsl_ran_weibull(rng, 1, p->spread) / gsl_sf_gamma(1 + 1 / p->spread);
    case PARETO:
        return gsl_ran_pareto(rng, p->spread, (p->spread - 1) / p->spread);
    default:
        return exp(normal(rng, p->spread) - p->spread * p->spread / 2);
    }
}

static double shaped(struct stream *stream, double cv)
{
    const struct population *p = stream->population;
    gsl_rng *rng = stream->rng;
    double sigma;
    switch (p->shape) {
    case LOGNORMAL:
        sigma = sqrt(log1p(cv * cv));
        return exp(normal(rng, sigma) - sigma * sigma / 2);
    case GAMMA:
        return gsl_ran_gamma(rng, 1 / (cv * cv), cv * cv);
    case STUDENT:
        return 1 + cv * gsl_ran_tdist(rng, p->spread) * sqrt((p->spread - 2) / p->spread);
    case EXPONENTIAL:
    case DELAYS:
    case WEIBULL:
    case PARETO:
        return 1 + p->amount * (delay(p, rng) - 1) + normal(rng, cv);
    case BIMODAL:
        return 1 - p->amount * gap_of(p) + (gsl_rng_uniform(rng) < p->amount ? gap_of(p) : 0) +
               normal(rng, cv);
    case OUTLIERS:
        return 1 + (gsl_rng_uniform(rng) < p->amount ? outlier_delay : 0) + normal(rng, cv);
    case STALLS:
        return stalled(p, rng, cv, gsl_rng_uniform(rng) < p->amount ? p->spread : 0);
    case STALLS_VARIED:
        return stalled(p, rng, cv,
                       gsl_rng_uniform(rng) < p->amount ? 2 * p->spread * gsl_rng_uniform(rng) : 0);
    case STALLS_CHAINED:
        return stalled(p, rng, cv, chain(stream, p->amount, chained) ? p->spread : 0);
    case AUTOREGRESSIVE:
        return 1;
    case RESAMPLED:
        return p->values[gsl_rng_uniform_int(rng, p->count)];
    default:
        return 1 + normal(rng, cv);
    }
}

static double noise(struct stream *stream, bool loaded)
{
    const struct population *p = stream->population;
    const bool as_loaded = loaded || (stream->alone && p->quiet);
    if (p->quiet && !as_loaded)
        return 1 + normal(stream->rng, p->cv);
    return shaped(stream, as_loaded && p->loaded_cv > 0 ? p->loaded_cv : p->cv);
}

double stream_draw(struct stream *stream, bool loaded, double ratio)
{
    const struct population *p = stream->population;
    double level = advance(stream);
    double value = level * noise(stream, loaded);
    if (!loaded) {
        stream->levels += level;
        stream->drawn++;
    }
    if (loaded)
        value *= ratio;
    if (p->shape == QUANTISED)
        value = p->amount * round(value / p->amount);
    return value > 0 ? value : 0;
}

// The level does not come back, so that only the session's own mean is of interest.
static bool moves_for_good(const struct population *p)
{
    return p->shape == DRIFT || p->shape == STEP || p->shape == WANDERING;
}

bool population_moves(const struct population *p)
{
    return p->shape >= DRIFT;
}

double stream_truth(const struct stream *stream)
{
    const struct population *p = stream->population;
    if (p->shape == OUTLIERS)
        return 1 + p->amount * outlier_delay;
    return moves_for_good(p) && stream->drawn > 0 ? stream->levels / (double)stream->drawn : 1;
}

// Many independent runs. NULL if memory ran out.
static double *draw_many(const struct population *p, bool loaded)
{
    double *value = malloc(MANY * sizeof *value);
    gsl_rng *rng = value ? gsl_rng_alloc(gsl_rng_taus2) : NULL;
    for (size_t i = 0; rng && i < MANY; i++) {
        struct stream stream;
        stream_begin(&stream, p, false, rng);
        value[i] = stream_draw(&stream, loaded, 1);
    }
    if (rng)
        gsl_rng_free(rng);
    return value;
}

double population_median(const struct population *p, bool loaded)
{
    double *value = moves_for_good(p) || p->shape == WARM_UP ? NULL : draw_many(p, loaded);
    if (!value)
        return NAN;
    gsl_sort(value, 1, MANY);
    const double median = value[MANY / 2];
    free(value);
    return median;
}

double population_typical(const struct population *population, double ratio)
{
    if (!population->quiet && !(population->loaded_cv > 0))
        return ratio;
    double *change = malloc(MANY * sizeof *change);
    gsl_rng *rng = change ? gsl_rng_alloc(gsl_rng_taus2) : NULL;
    struct stream stream;
    for (size_t i = 0; rng && i < MANY; i++) {
        stream_begin(&stream, population, false, rng);
        const double alone = stream_draw(&stream, false, ratio);
        change[i] = log(stream_draw(&stream, true, ratio) / alone);
    }
    if (rng)
        gsl_sort(change, 1, MANY);
    const double centre = rng ? ranks_interval(0, change, MANY).center : NAN;
    if (rng)
        gsl_rng_free(rng);
    free(change);
    return exp(centre);
}

// The spread of many draws, where no formula is as short.
static double drawn_cv(const struct population *p, bool loaded)
{
    double *value = draw_many(p, loaded), mean = 0, squares = 0;
    if (!value)
        return NAN;
    for (size_t i = 0; i < MANY; i++) {
        const double off = value[i] - mean;
        mean += off / (double)(i + 1);
        squares += off * (value[i] - mean);
    }
    free(value);
    return sqrt(squares / MANY) / mean;
}

double population_cv(const struct population *p, bool loaded)
{
    const double cv = loaded && p->loaded_cv > 0 ? p->loaded_cv : p->cv;
    if (p->quiet && !loaded)
        return cv;
    switch (p->shape) {
    case BIMODAL:
        return hypot(cv, gap_of(p) * sqrt(p->amount * (1 - p->amount)));
    case OUTLIERS:
        return hypot(cv, outlier_delay * sqrt(p->amount * (1 - p->amount)));
    case QUANTISED:
        return hypot(cv, p->amount / sqrt(12));
    case PERIODIC:
        return hypot(cv, p->amount / sqrt(2));
    case EVERY:
        return hypot(cv, p->amount * sqrt((1 - 1 / p->spread) / p->spread));
    case BURSTY:
        return hypot(cv, p->amount * sqrt(bursts * (1 - bursts)));
    case EXPONENTIAL:
    case DELAYS:
    case WEIBULL:
    case PARETO:
    case STALLS:
    case STALLS_VARIED:
    case STALLS_CHAINED:
    case RESAMPLED:
        return drawn_cv(p, loaded);
    default:
        return cv;
    }
}
