// What a program does to its neighbours: what reporters read beside it and alone. Pure.
#ifndef PROFILE_PRESSURE_H
#define PROFILE_PRESSURE_H

#include "profile.h"

#include <stdbool.h>
#include <stddef.h>

// Log ratios of readings beside the program to the reading alone of the same block, positive is
// worse.
struct pressure_readings {
    size_t blocks, reporters;
    const char *const *name; // [reporters]
    const double *log_ratio; // [block * reporters + reporter]; NAN: missing
};

// Fills the profile's reporters: mean, standard error and interval (Student's t) of each.
// Those with fewer than two blocks have no error, those with none no ratio.
void pressure_reporters(struct program_profile *profile, const struct pressure_readings *readings);

// The mean of one of them over the blocks that have it; NAN: none has.
double pressure_mean(const struct pressure_readings *readings, size_t reporter);

#endif
