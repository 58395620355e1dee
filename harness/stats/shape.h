#ifndef STATS_SHAPE_H
#define STATS_SHAPE_H

#include "sample.h"
#include <stddef.h>

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
