// What the values of a sample do in the order of measurement.
#ifndef STATS_ORDER_H
#define STATS_ORDER_H

#include <stddef.h>

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

#endif
