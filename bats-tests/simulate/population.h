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
    STUDENT,     // t with `spread` degrees of freedom: heavy tails on both sides
    EXPONENTIAL, // delays of mean `amount`
    DELAYS,      // lognormal delays of mean `amount` and log sd `spread`
    WEIBULL,     // Weibull delays of mean `amount` and shape `spread`
    PARETO,      // Pareto delays of mean `amount` and exponent `spread`
    BIMODAL,
    OUTLIERS,
    STALLS,         // runs that take `spread` longer, with probability `amount`
    STALLS_VARIED,  // the same, of uniformly distributed length with that mean
    STALLS_CHAINED, // the same, likely to follow each other
    QUANTISED,
    RESAMPLED,
    // the level moves with time
    DRIFT,
    STEP,
    WARM_UP,
    AUTOREGRESSIVE,
    PERIODIC,  // by `amount` up and down, every `spread` runs
    BURSTY,    // by `amount` up, for about `spread` runs in three times as many
    EVERY,     // by `amount` up in every `spread`-th run
    WANDERING, // a random walk with steps of sd `amount`
};

struct population {
    const char *name;
    enum shape shape;
    double cv;        // of the baseline's normal or other noise
    double loaded_cv; // of the loaded condition's; 0: the same
    double amount;    // share of outliers, stalls or the upper mode, mean delay, size of a drift,
                      // rho, clock step
    double spread;    // as `shape` says; of two modes how far they are apart, 0: 0.1
    bool quiet;       // the baseline has normal noise of that cv, the loaded condition the shape
    bool held_out;    // no correction was tuned on it
    bool hard;        // with outliers or dependence: may be wrong if flagged
    bool unseen;      // rare stalls: a session may have observed none, and no interval can know
    double silent;    // hard: percent of means that may be wrong and not flagged
    const double *values; // RESAMPLED: measured values
    size_t count;
};

// One experiment's own state: levels that move with time.
struct stream {
    const struct population *population;
    gsl_rng *rng;
    bool alone;     // one condition: it has the noise of the loaded one
    size_t time;    // runs so far, of all conditions
    double level;   // of the AR(1) process or the random walk, phase of the period
    bool on;        // of a burst, or of a chain of stalls
    size_t step_at; // when the step comes
    double levels;  // sum of the true levels of the condition 0 runs
    size_t drawn;   // number of those
};

extern const struct population populations[];
extern const size_t population_count;

void stream_begin(struct stream *stream, const struct population *population, bool alone,
                  gsl_rng *rng);

// One run's time; the mean of a steady population is 1 (loaded: `ratio`).
double stream_draw(struct stream *stream, bool loaded, double ratio);

// The mean that a session of those runs estimates, outliers included; or the mean
// level over its own runs where the level moves for good.
double stream_truth(const struct stream *stream);

// Whether the level moves, so that independent runs of one spread do not exist.
bool population_moves(const struct population *population);

// Standard deviation over mean of a single run, without what moves the level for good.
double population_cv(const struct population *population, bool loaded);

// The median of a single run, of a large number drawn; NAN where the level moves for good.
double population_median(const struct population *population, bool loaded);

// The centre of the ratios of many independent pairs whose means have that ratio. That of two sides
// of one shape is the ratio of their scales, and what moves both of a pair cancels. NAN if memory
// ran out.
double population_typical(const struct population *population, double ratio);

// A population that is made of measured runs.

// Reads the wall times of the first condition in a runs.jsonl, divided by
// the mean of those that are no outliers. False after a message on stderr. The caller frees name
// and values.
bool resample_read(const char *path, struct population *population);

#endif
