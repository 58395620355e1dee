#ifndef STATS_SAMPLE_H
#define STATS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

// A growing list of measured values, and what describes it.

struct sample {
    double *value;  // in the order of measurement
    double *sorted; // the same, ascending, as far as sample_sorted() has looked
    size_t count, capacity, sorted_count;
    double mean;    // of all, by Welford's update
    double squares; // sum of squared deviations from the mean
    double cubes;   // and of their cubes
};

// Appends a value.
void sample_add(struct sample *sample, double value);

// All values, ascending; until the next one is added. To sort them for each of a hundred thousand
// would take longer than all else.
const double *sample_sorted(const struct sample *sample);

// Fills a sample at once: begin, set value[0 .. count - 1], finish.
void sample_begin(struct sample *sample, size_t count);
void sample_finish(struct sample *sample, size_t count);
// All of it, with copies of those values.
void sample_fill(struct sample *sample, const double *value, size_t count);

// Empties the sample and keeps its memory for the next experiment.
void sample_clear(struct sample *sample);

void sample_free(struct sample *sample);

// The mean of n values in any order, and the sum of their squared deviations from it.
void sample_moments(const double *value, size_t n, double *mean, double *squares);

// With n-1; NAN for fewer than two values.
double sample_variance(const struct sample *sample);

double sample_median(const struct sample *sample);

// Median of the absolute deviations from the median (not scaled).
double sample_mad(const struct sample *sample);

// The standard deviation of normal values with that median of the absolute deviations.
double sample_robust_sd(const struct sample *sample);

// What the values of a sample look like: outliers, modes and the step of the clock; trends and
// steps in the order of measurement; and what all that asks of the interval of their mean.

// Values far from the rest by the robust z = deviation from the median / (1.4826 MAD).
// Slow ones are judged on the logarithmic scale, where the usual slow tail of run
// times is nearly symmetric; quick ones on the plain scale, where it is short.
struct outliers {
    size_t low, high; // how many at each end of the sorted values
};

struct outliers shape_outliers(const struct sample *sample);

// The best split of the sorted values in two groups.
struct split {
    size_t lower; // values in the lower group; 0: no two clear groups
    double low_mean, high_mean;
    double within; // variance within the groups (n-2)
};

// Two clear groups: less than a tenth of the variance is within them.
struct split shape_split(const struct sample *sample);

// The clock's step as the values show it: the smallest difference between
// different values, if at most half of the values are different; else 0.
double shape_step(const struct sample *sample);

// The straight line that fits n > 2 values in the order of measurement best.
struct fit {
    double mean, squares; // of the values: the sum of their squared deviations from the mean
    double slope, error;  // from each value to the next, and its standard error
};

struct fit fit_of(const double *value, size_t n);

// What the values of a sample do in the order of measurement.

struct order {
    double trend;   // change from the first to the last run by the fitted line
    double trend_t; // its t statistic
    double step;    // mean after the best change point minus mean before it
    double step_t;  // its t statistic: the largest of all splits, so above 3 is common
    size_t step_at; // values before the change point
    double first_z; // the first value from the mean of the later half, in its sd
};

// For n >= 4 values; all 0 for fewer or equal values.
struct order order_analyse(const double *value, size_t n);

// How much wider than Student's an interval of a mean must be on either side,
// for what the shape of the values shows: a long tail, or a smaller group.

struct stretch {
    double low, high; // multiples of Student's half-width, at least 1
};

// Of the mean of those values. `delayed`: something adds delays to them now and
// then, so a long tail to the right is to be expected although few values may
// not show it; `delayed_down`: one to the left. docs/statistics.md says how each correction was
// found.
struct stretch stretch_of(const struct sample *sample, bool delayed, bool delayed_down);

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
