// How runs alone vary, and how far they resemble their neighbours. Pure.
#ifndef PROFILE_NOISE_H
#define PROFILE_NOISE_H

#include "profile.h"

#include <stddef.h>

enum { NOISE_LEAST = 8 }; // runs that a correlation is taken of, at least

// Runs alone in the order of measurement.
struct noise_series {
    const double *wall_s;
    size_t n;
};

// The ratio of two halves of the same runs, which is 1 but for noise.
struct noise_halves {
    double ratio, low, high; // NAN: too few runs
};

struct noise {
    size_t n;
    double mean_s, sd;               // sd of log(wall time)
    double low, high;                // interval of sd (chi-square: too narrow where runs correlate)
    double correlation;              // of neighbouring runs (lag 1); NAN: fewer than NOISE_LEAST
    struct noise_halves interleaved; // every second run / those between: what A beside A shows
    struct noise_halves in_time;     // the second half / the first: drift
};

// Of one series, at that confidence. Values that are not above 0 are left out.
struct noise noise_of(const struct noise_series *series, double confidence);

// Of several series, each about its own mean (they may be of different hours): sd and n of all
// runs, correlation of the series that are long enough, by their runs.
struct profile_noise noise_pooled(const struct noise_series *series, size_t count);

#endif
