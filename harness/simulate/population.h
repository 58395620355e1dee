// Populations with known truth, to draw simulated runs from.
#ifndef SIMULATE_POPULATION_H
#define SIMULATE_POPULATION_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

enum shape {
    NORMAL,
    LOGNORMAL,
    GAMMA,
    BIMODAL,
    OUTLIERS,
    DRIFT,
    STEP,
    AUTOREGRESSIVE,
    QUANTISED,
    WARM_UP,
    RESAMPLED
};

struct population {
    const char *name;
    enum shape shape;
    double cv;        // of the baseline's noise
    double loaded_cv; // of the loaded condition's noise
    double amount;    // share of outliers or of the upper mode, size of a drift, rho, clock step
    bool hard;        // with outliers or dependence: may be wrong if flagged
    double silent;    // hard: percent of means that may be wrong and not flagged
    const double *values; // RESAMPLED: measured values
    size_t count;
};

// One experiment's own state: levels that move with time.
struct stream {
    const struct population *population;
    gsl_rng *rng;
    size_t time;    // runs so far, of all conditions
    double level;   // of the AR(1) process
    size_t step_at; // when the step comes
    double levels;  // sum of the true levels of the condition 0 runs
    size_t drawn;   // number of those
    size_t offset;  // RESAMPLED
};

extern const struct population populations[];
extern const size_t population_count;

void stream_begin(struct stream *stream, const struct population *population, gsl_rng *rng);

// One run's time; the mean of a steady population is 1 (loaded: `ratio`).
double stream_draw(struct stream *stream, bool loaded, double ratio);

// The mean that a session of those runs estimates, outliers included; or the mean
// level over its own runs where the level moves by itself.
double stream_truth(const struct stream *stream);

// Standard deviation over mean of a single run; NAN where time moves it.
double population_cv(const struct population *population, bool loaded);

#endif
