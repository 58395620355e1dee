#include "population.h"

#include <gsl/gsl_randist.h>
#include <math.h>

// Moving populations change over this many runs (30 of each of two conditions).
static const double session_runs = 60;
static const double mode_gap = 0.10, outlier_delay = 0.30, warm_up_runs = 3;

const struct population populations[] = {
    {"normal-1%", NORMAL, 0.01, 0.01, 0, false, 2, NULL, 0},
    {"normal-5%", NORMAL, 0.05, 0.05, 0, false, 2, NULL, 0},
    {"normal-20%", NORMAL, 0.20, 0.20, 0, false, 2, NULL, 0},
    {"lognormal-20%", LOGNORMAL, 0.20, 0.20, 0, false, 2, NULL, 0},
    {"lognormal-40%", LOGNORMAL, 0.40, 0.40, 0, false, 2, NULL, 0},
    {"gamma-20%", GAMMA, 0.20, 0.20, 0, false, 2, NULL, 0},
    {"gamma-50%", GAMMA, 0.50, 0.50, 0, false, 2, NULL, 0},
    {"bimodal-50/50", BIMODAL, 0.01, 0.01, 0.5, false, 2, NULL, 0},
    {"bimodal-70/30", BIMODAL, 0.01, 0.01, 0.3, false, 2, NULL, 0},
    {"heteroscedastic", NORMAL, 0.02, 0.15, 0, false, 2, NULL, 0},
    {"quantised-fine", QUANTISED, 0.02, 0.02, 0.01, false, 2, NULL, 0},
    {"quantised-coarse", QUANTISED, 0.02, 0.02, 0.08, true, 2, NULL, 0},
    {"outliers-1%", OUTLIERS, 0.01, 0.01, 0.01, true, 2, NULL, 0},
    {"outliers-5%", OUTLIERS, 0.01, 0.01, 0.05, true, 2, NULL, 0},
    {"drift-5%", DRIFT, 0.01, 0.01, 0.05, true, 2, NULL, 0},
    {"step-5%", STEP, 0.01, 0.01, 0.05, true, 2, NULL, 0},
    {"ar1-0.5", AUTOREGRESSIVE, 0.02, 0.02, 0.5, true, 8, NULL, 0},
    {"ar1-0.7", AUTOREGRESSIVE, 0.02, 0.02, 0.7, true, 8, NULL, 0},
    {"ar1-0.9", AUTOREGRESSIVE, 0.02, 0.02, 0.9, true, 5, NULL, 0},
    {"warm-up", WARM_UP, 0.01, 0.01, 0.10, true, 2, NULL, 0},
};
const size_t population_count = sizeof populations / sizeof populations[0];

void stream_begin(struct stream *stream, const struct population *population, gsl_rng *rng)
{
    *stream = (struct stream){.population = population, .rng = rng};
    stream->level = gsl_ran_gaussian_ziggurat(rng, population->cv);
    stream->step_at = gsl_rng_uniform_int(rng, (unsigned long)session_runs);
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
        stream->level =
            p->amount * stream->level +
            gsl_ran_gaussian_ziggurat(stream->rng, p->cv * sqrt(1 - p->amount * p->amount));
        return 1 + stream->level;
    default:
        return 1;
    }
}

static double noise(struct stream *stream, double cv)
{
    const struct population *p = stream->population;
    gsl_rng *rng = stream->rng;
    double sigma;
    switch (p->shape) {
    case LOGNORMAL:
        sigma = sqrt(log1p(cv * cv));
        return exp(gsl_ran_gaussian_ziggurat(rng, sigma) - sigma * sigma / 2);
    case GAMMA:
        return gsl_ran_gamma(rng, 1 / (cv * cv), cv * cv);
    case BIMODAL:
        return 1 - p->amount * mode_gap + (gsl_rng_uniform(rng) < p->amount ? mode_gap : 0) +
               gsl_ran_gaussian_ziggurat(rng, cv);
    case OUTLIERS:
        return 1 + (gsl_rng_uniform(rng) < p->amount ? outlier_delay : 0) +
               gsl_ran_gaussian_ziggurat(rng, cv);
    case AUTOREGRESSIVE:
        return 1;
    case RESAMPLED:
        return p->values[gsl_rng_uniform_int(rng, p->count)];
    default:
        return 1 + gsl_ran_gaussian_ziggurat(rng, cv);
    }
}

double stream_draw(struct stream *stream, bool loaded, double ratio)
{
    const struct population *p = stream->population;
    double level = advance(stream);
    double value = level * noise(stream, loaded ? p->loaded_cv : p->cv);
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

double stream_truth(const struct stream *stream)
{
    const struct population *p = stream->population;
    bool moves = p->shape == DRIFT || p->shape == STEP;
    if (p->shape == OUTLIERS)
        return 1 + p->amount * outlier_delay;
    return moves && stream->drawn > 0 ? stream->levels / (double)stream->drawn : 1;
}

double population_cv(const struct population *p, bool loaded)
{
    double cv = loaded ? p->loaded_cv : p->cv, sum = 0;
    switch (p->shape) {
    case BIMODAL:
        return hypot(cv, mode_gap * sqrt(p->amount * (1 - p->amount)));
    case OUTLIERS:
        return hypot(cv, outlier_delay * sqrt(p->amount * (1 - p->amount)));
    case QUANTISED:
        return hypot(cv, p->amount / sqrt(12));
    case RESAMPLED:
        for (size_t i = 0; i < p->count; i++)
            sum += pow(p->values[i] - 1, 2);
        return sqrt(sum / (double)p->count);
    default:
        return cv;
    }
}
