#ifndef STATS_SAMPLE_H
#define STATS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

// A growing list of measured values, and what describes it.

struct sample {
    double *value;  // in the order of measurement
    double *sorted; // the same, ascending
    size_t count, capacity;
    double mean;    // of all, by Welford's update
    double squares; // sum of squared deviations from the mean
    double cubes;   // and of their cubes
};

// Appends a value.
void sample_add(struct sample *sample, double value);

// Fills a sample at once: begin, set value[0 .. count - 1], finish.
void sample_begin(struct sample *sample, size_t count);
void sample_finish(struct sample *sample, size_t count);

// Empties the sample and keeps its memory for the next experiment.
void sample_clear(struct sample *sample);

void sample_free(struct sample *sample);

// The mean of n values in any order, and the sum of their squared deviations from it.
void sample_moments(const double *value, size_t n, double *mean, double *squares);

// With n-1; NAN for fewer than two values.
double sample_variance(const struct sample *sample);

// Third standardised moment; 0 for fewer than three or equal values.
double sample_skewness(const struct sample *sample);

double sample_median(const struct sample *sample);

// Median of the absolute deviations from the median (not scaled).
double sample_mad(const struct sample *sample);

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

// The t statistic of the trend alone.
double order_trend_t(const double *value, size_t n);

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

#endif
