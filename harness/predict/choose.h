// Which model, with which weights, and how far off it is for programs that it has not seen: all
// of it from the pairs of a training set alone.
#ifndef PREDICT_CHOOSE_H
#define PREDICT_CHOOSE_H

#include "conformal.h"
#include "dataset.h"

enum { CANDIDATES = 2 * DATASET_VARIANTS };

// A variant with a weight of 1, or with weights that fit best; one with several terms is fitted.
struct candidate {
    const struct predict_variant *variant;
    size_t number; // of the variant
    size_t terms;
    bool fitted;
};

// All that are tried, simple ones first; how many.
size_t choose_candidates(struct candidate candidate[CANDIDATES]);

// The weights of a candidate, none negative: least squares of the slowdown over the pairs of
// `train` (a flag for each item), held at 1 where the pairs say nothing of them (ridge).
void choose_fit(const struct dataset *data, const bool *train, const struct candidate *candidate,
                struct predict_model *model);

// analytic x (1 + sum of weight x term), without an interval: what predict_apply() computes.
double choose_predict(const struct dataset_item *item, const struct candidate *candidate,
                      const struct predict_model *model);

struct choice {
    struct candidate candidate;
    struct predict_model model; // its interval: NAN where there are too few programs
    double error;               // mean absolute, of programs left out in turn
    struct conformal conformal;
    size_t pairs;
};

// Leaves each program of the training set out in turn, in both roles: the candidate of least
// error, fitted to all, with conformal intervals at `confidence` from the residuals of those left
// out. False: no memory, or no pairs.
bool choose_model(const struct dataset *data, const bool *train, double confidence,
                  struct choice *choice);

#endif
