#ifndef STATS_DEPENDENCE_H
#define STATS_DEPENDENCE_H

#include "sample.h"
#include <stdbool.h>
#include <stddef.h>

// How far neighbouring runs resemble each other, and how much less they then show.

enum { DEPENDENCE_GRID = 6 };

// What the values say about each lag-1 correlation of a grid (0 to 0.95), if
// they are an autoregressive process of first order about an unknown mean.
struct dependence {
    double likelihood[DEPENDENCE_GRID]; // over that of independence
    double variance[DEPENDENCE_GRID];   // of a single value, over the sample's
    // How much more alike neighbours are than independent values, in standard errors: J. von
    // Neumann's ratio, Ann. Math. Stat. 12 (1941) 367-395. 0: nothing is seen.
    double alike;
};

// What the pairs of a ratio show in the order of the blocks.
struct steadiness {
    struct dependence seen;
    double drift_p; // that a drift in a straight line is chance
    size_t count;
};

// For n values in the order of measurement, with that mean and sum of squared deviations or their
// own. `means`: how many were fitted, one unless values of several kinds alternate. Fewer than 4 or
// equal values show nothing.
struct dependence dependence_see(const double *value, size_t n, double mean, double squares,
                                 size_t means);
struct dependence dependence_of(const double *value, size_t n, size_t means);

// Probability that the values depend on each other, when that was `prior`.
double dependence_probability(const struct dependence *dependence, double prior);

// The correlation to be expected then.
double dependence_rho(const struct dependence *dependence, double prior);

// Variance of the mean of n of them over that of independent ones, averaged
// over the grid: so few values neither prove nor exclude a dependence.
// `every`: the n values are every so many-th of the series.
double dependence_factor(const struct dependence *dependence, double prior, size_t n, size_t every);

// Values in the order of measurement: do neighbours resemble each other, does the level drift?

// How far beside the median a value counts. Where more than half are alike there is no scale.
double series_reach(const struct sample *sample);

// The value, or what is as far as that from the median where it is farther.
double series_near(const struct sample *sample, double reach, double value);

// Of the deviations of the pairs from their ratio.
struct steadiness series_of_pairs(const struct sample *deviations);

// The effect changes within the experiment. Of independent pairs about 2 % look so.
bool series_is_unsteady(const struct steadiness *steadiness);

// It may, and more blocks would show it. `varies`: the pairs vary by more than the program does
// alone, so that something moves the effect; else of independent pairs few look so.
bool series_is_suspect(const struct steadiness *steadiness, bool varies);

// How many times wider the interval of the ratio is for it; 1 where nothing shows.
double series_widening(const struct steadiness *steadiness);

#endif
