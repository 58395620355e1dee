// Measured pairs of one place, with the features that the profiles of both give. What follows
// from it is pure: models, folds, scores.
#ifndef PREDICT_DATASET_H
#define PREDICT_DATASET_H

#include "model.h"

#include <stdbool.h>
#include <stddef.h>

enum { DATASET_PROGRAMS = 64, DATASET_VARIANTS = 16 };

struct dataset_item {
    size_t a, b;   // number of the victim's program, and of the aggressor's
    double y;      // slowdown, measured
    double repeat; // measured again; NAN: it was not
    bool gated;    // the victim is quiet enough for such a figure
    struct pair_features features;
    // Of each variant, so that they are made once.
    double term[DATASET_VARIANTS][PREDICT_TERMS];
};

struct dataset {
    size_t programs;
    const char *name[DATASET_PROGRAMS];
    double confidence; // of the profiles
    struct dataset_item *item;
    size_t count, capacity;
};

// Makes the pair of two profiles' programs. False: there is no number, and features.why says why.
bool dataset_pair(struct dataset_item *item, const struct program_profile *a,
                  const struct program_profile *b);

// Adds a pair whose features are known; makes its terms. False: no memory.
bool dataset_add(struct dataset *data, const struct dataset_item *item);

// The number of a program of that name, a new one where there is none; DATASET_PROGRAMS: too many.
size_t dataset_program(struct dataset *data, const char *name);

void dataset_free(struct dataset *data);

#endif
