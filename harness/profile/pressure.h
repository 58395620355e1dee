// What a program does to its neighbours: from what reporters read beside it and alone, to the
// levels of our own loads that would do the same. Pure.
#ifndef PROFILE_PRESSURE_H
#define PROFILE_PRESSURE_H

#include "profile.h"

#include "harness/pressure/invert.h"

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

// What invert_levels() takes, in the order of `names` (count of them, the reference's
// reporters): means, and their covariance, of which correlations are shrunk towards 0, as few
// blocks show many by chance (J. Schäfer and K. Strimmer, Stat. Appl. Genet. Mol. Biol. 4
// (2005) 32), and widened by Student's t, as the inversion takes the covariance for known.
// Reporters without an error are missing.
void pressure_reading(struct invert_reading *reading, const struct pressure_readings *readings,
                      double confidence, const char *const *names, size_t count);

// The same of means and standard errors alone.
void pressure_reading_of(struct invert_reading *reading, const double *log_ratio, const double *sd,
                         size_t count);

// Fills the profile's levels from a reading through the reference's curves, whose kinds have
// those names: those that could be told anything of. False: nothing could (invert_levels()).
// *misfit_p: as there.
bool pressure_levels(struct program_profile *profile, const struct invert_curves *curves,
                     const char *const *kind_names, const struct invert_reading *reading,
                     double *misfit_p);

#endif
