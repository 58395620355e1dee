// Runs that a profile and the truth it is judged by have in common: there may be none.
#ifndef PREDICT_SHARED_H
#define PREDICT_SHARED_H

#include "study.h"

struct shared {
    size_t pairs;                          // measured pairs with runs that a profile was made from
    size_t runs;                           // such runs
    size_t unchecked;                      // profiles whose experiments cannot be read
    const char *pair_a, *pair_b, *profile; // an example
};

// Of all pairs and profiles of a place. False: no memory.
bool shared_runs(const struct study *study, const char *place, struct shared *shared);

#endif
