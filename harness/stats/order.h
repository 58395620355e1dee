#ifndef STATS_ORDER_H
#define STATS_ORDER_H

#include "sample.h"
#include <stddef.h>

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
