// Predictors that know no profile: a model is worth what it is better than the best of them.
#ifndef PREDICT_TRIVIAL_H
#define PREDICT_TRIVIAL_H

#include "dataset.h"

// 1; the mean of the training pairs, that of the victim, that of the aggressor; additive: mean +
// victim's effect + aggressor's. Who is not in the training set has no effect.
enum trivial {
    TRIVIAL_ONE,
    TRIVIAL_MEAN,
    TRIVIAL_VICTIM,
    TRIVIAL_AGGRESSOR,
    TRIVIAL_ADDITIVE,
    TRIVIALS
};

struct trivials {
    double mean;
    double victim[DATASET_PROGRAMS], aggressor[DATASET_PROGRAMS]; // their means
    double row[DATASET_PROGRAMS], column[DATASET_PROGRAMS];       // effects of the additive one
};

const char *trivial_name(enum trivial trivial);

void trivial_fit(const struct dataset *data, const bool *train, struct trivials *fitted);

double trivial_predict(const struct trivials *fitted, enum trivial trivial, size_t a, size_t b);

#endif
