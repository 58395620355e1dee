// Statistics other than the mean: median, trimmed mean, 90th and 99th percentile;
// of one condition, and their ratio from pairs.
#ifndef STATS_STATISTIC_H
#define STATS_STATISTIC_H

#include "interval.h"
#include "settings.h"

// Its estimate from ascending values; NAN for none.
double statistic_value(enum statistic statistic, const double *sorted, size_t n);

// The fewest values that allow an interval at that confidence.
size_t statistic_runs(enum statistic statistic, double confidence);

// How many of n values the trimmed mean leaves out at each end.
size_t statistic_trimmed(size_t n);

// Its interval for one condition, `widen` times as wide as for a fixed number of
// independent values. Without bounds, and with an infinite error, where the values
// are too few.
struct interval statistic_location(struct critical *critical, enum statistic statistic,
                                   const struct sample *sample, double widen);

// The ratio y/x of the two conditions' statistics, `widen` times as wide as for a fixed
// number of pairs. Without bounds, and with an infinite error, where the pairs are too few, or
// x is not surely above 0.
struct interval statistic_ratio(struct critical *critical, enum statistic statistic,
                                const struct pairs *pairs, double widen);

// The correlation of the errors of two quantiles, from n pairs of values and the quantiles'
// estimates.
double statistic_correlation(const double *x, const double *y, size_t n, double quantile_x,
                             double quantile_y);

#endif
