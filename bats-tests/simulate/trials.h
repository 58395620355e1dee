// One cell of a table: many experiments of one population and one setting,
// each decided by the production code.
#ifndef SIMULATE_TRIALS_H
#define SIMULATE_TRIALS_H

#include "harness/stats/messages.h"
#include "harness/stats/session.h"
#include "harness/stats/verdict.h"
#include "population.h"

enum { POWERS = 4 };
extern const double power_ratio[POWERS]; // the slowdowns that should be seen

struct tally {
    size_t experiments;
    size_t covered;         // every interval of the chosen metrics holds the truth
    size_t covered_first;   // that of the first metric does
    size_t covered_robust;  // the robust ones of one condition do
    size_t flagged;         // any flag
    size_t flag[ODDITIES];  // each flag
    size_t wrong_unflagged; // not covered, no flag
    size_t mean_covered;    // several conditions: the baseline's own mean is in its interval
    size_t mean_silent;     // it is not, and no flag says so
    size_t seen[POWERS];    // of a true ratio of 1: a slowdown of that size would show
    size_t distinguished;   // called a slowdown, not noise
    size_t verdict[VERDICTS];
    double half_width, floor, runs; // sums
};

enum kind {
    EXPERIMENT, // conditions of one experiment
    COMPARISON, // two experiments of one condition each, the second `ratio` times as slow
};

struct cell {
    enum kind kind;
    const struct population *population;
    struct settings settings;
    double narrow; // the interval is judged as if it were so many times as wide
    double ratio;  // the true slowdown of the means; 0: only one condition
    double truth;  // of what is judged; NAN: the mean of the population
};

// Fills tallies[i] with `experiments` experiments of cells[i], with random
// numbers from `seed` alone, whatever the number of threads. False if memory
// or threads ran out.
bool trials_run(const struct cell *cells, struct tally *tallies, size_t count, size_t experiments,
                unsigned long seed, size_t threads);

// Runs of each condition that an oracle takes that knows the variance and stops
// at half-width z sigma / sqrt(n), with the same floor and cap; NAN where the
// population has no such variance.
double oracle_runs(const struct cell *cell);

// The relative standard deviation of what is estimated, for one run or pair.
double cell_cv(const struct cell *cell);

#endif
