// A population that is made of measured runs.
#ifndef SIMULATE_RESAMPLE_H
#define SIMULATE_RESAMPLE_H

#include "population.h"

// Reads the wall times of the first condition in a runs.jsonl, divided by
// the mean of those that are no outliers. False after a message on stderr. The caller frees name
// and values.
bool resample_read(const char *path, struct population *population);

#endif
