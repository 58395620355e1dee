// Values in the order of measurement: do neighbours resemble each other, does the level drift?
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "dependence.h"
#include "session.h"

// How the runs depend on each other: with several conditions each run counts by its deviation
// from its own condition, in that condition's standard deviations, since what moves the machine
// moves them all. Runs far off count as less far: a straggler says nothing of its neighbours.
struct dependence series_dependence(const struct session *session, size_t metric);

// Of the deviations of the pairs from their ratio.
struct steadiness series_of_pairs(const struct sample *deviations);

// The effect changes within the experiment. Of independent pairs about 2 % look so.
bool series_is_unsteady(const struct steadiness *steadiness);

// It may, and more blocks would show it. `varies`: the pairs vary by more than the program does
// alone, so that something moves the effect; else of independent pairs few look so.
bool series_is_suspect(const struct steadiness *steadiness, bool varies);

// How many times wider the interval of the ratio is for it; 1 where nothing shows.
double series_widening(const struct steadiness *steadiness);

#endif
