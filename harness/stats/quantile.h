// A quantile and its bounds, from the ranks of ascending values alone: they hold
// whatever the distribution of independent values is.
#ifndef STATS_QUANTILE_H
#define STATS_QUANTILE_H

#include "interval.h"

// The estimate of the quantile p from n > 0 ascending values.
double quantile_value(double p, const double *sorted, size_t n);

// An interval that contains it with that probability. The error rate is split evenly
// where each end has a bound at half of it; else an end that has none takes what it
// needs. low, high: NAN where the values are too few; error is not filled in.
struct interval quantile_interval(double confidence, double p, const double *sorted, size_t n);

// The fewest values for which it has both bounds.
size_t quantile_runs(double p, double confidence);

#endif
