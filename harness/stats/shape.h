// What the values of a sample look like, whatever their order: outliers, modes,
// and the step of the clock.
#ifndef STATS_SHAPE_H
#define STATS_SHAPE_H

#include "sample.h"

// Values far from the rest by the robust z = deviation from the median / (1.4826 MAD).
// Slow ones are judged on the logarithmic scale, where the usual slow tail of run
// times is nearly symmetric; quick ones on the plain scale, where it is short.
struct outliers {
    size_t low, high; // how many at each end of the sorted values
    double mean;      // of the rest
    double variance;  // of the rest, n-1
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

#endif
