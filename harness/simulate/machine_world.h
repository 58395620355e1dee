// One machine of equations with programs drawn at random: all pairs of them predicted by models
// that have not seen the program, and how far off that is from the truth.
#ifndef SIMULATE_MACHINE_WORLD_H
#define SIMULATE_MACHINE_WORLD_H

#include "harness/predict/scores.h"

#include <gsl/gsl_rng.h>

enum {
    WORLD_PLACES = 2,
    WORLD_NOISES = 5,
    WORLD_NOISE_LOW = 1,
    WORLD_PROGRAMS = 12,
    WORLD_PREDICTORS = TRIVIALS + CANDIDATES + 1
};
extern const char *const world_places[WORLD_PLACES];
extern const double world_noises[WORLD_NOISES]; // standard deviation of the log of a run

// Added up over worlds.
struct world_sums {
    size_t worlds;
    size_t pairs, refused, gated;   // refused: no number was given
    double error[WORLD_PREDICTORS]; // mean errors of each world, against the truth
    struct errors chosen;           // n: tests; the rest sums of each world's; worst: of all
    double skill;                   // against the truth
    struct cover measured, truth;   // share, width: sums of each world's
    struct safety safety[LIMITS];   // against the truth
    double ceiling, ceiling_rank;   // sums
    size_t leaks;                   // worlds in which one was seen (there is none)
    size_t points, points_covered;  // of sensitivities
    size_t levels, levels_covered;  // of loads as neighbours
    double level_width;
};

// predictor: as in world_sums.error: trivials, candidates, the chosen one.
struct predictor world_predictor(size_t number);

// What a world finds at each place and noise: sums[place][noise] grow; brief: at the first
// place and WORLD_NOISE_LOW alone. narrow: factor on the width of intervals. False: no memory.
bool world_run(gsl_rng *rng, double narrow, bool brief,
               struct world_sums sums[WORLD_PLACES][WORLD_NOISES]);

#endif
