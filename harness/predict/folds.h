// What each predictor says of pairs that it has not seen, by what is left out of its training.
#ifndef PREDICT_FOLDS_H
#define PREDICT_FOLDS_H

#include "choose.h"
#include "trivial.h"

enum scheme {
    SCHEME_PAIR,      // the pair alone
    SCHEME_VICTIM,    // all pairs of the victim
    SCHEME_AGGRESSOR, // all of the aggressor
    SCHEME_PROGRAM,   // all pairs of a program in both roles: the figure to publish
    SCHEME_BOTH,      // all pairs of both programs, in both roles
    SCHEMES
};

const char *scheme_name(enum scheme scheme);

// One pair, predicted without what the scheme leaves out. A pair is tested twice by
// SCHEME_PROGRAM: without its victim, and without its aggressor.
struct test {
    size_t item;
    double trivial[TRIVIALS];
    double candidate[CANDIDATES]; // each, as if it had been chosen beforehand
    double chosen, low, high;     // by the training set alone; bounds NAN: no interval
    size_t choice;                // number of the candidate
};

struct tests {
    struct test *test;
    size_t count, capacity;
};

// All tests of a scheme. False: no memory. Where a training set is empty, there is no test.
bool folds_run(const struct dataset *data, enum scheme scheme, double confidence,
               struct tests *tests);

// Tests of the pairs in `held`, by what the pairs in `train` teach.
bool folds_test(const struct dataset *data, const bool *train, const bool *held, double confidence,
                struct tests *tests);

void tests_free(struct tests *tests);

#endif
