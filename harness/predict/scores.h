// How good predictions were: errors in points (a slowdown of 1.31 predicted as 1.29 is off by 2),
// beside those of predictors that know nothing, and beside the noise of the truth.
#ifndef PREDICT_SCORES_H
#define PREDICT_SCORES_H

#include "folds.h"

enum { LIMITS = 3 };
extern const double scores_limits[LIMITS]; // slowdowns of 1.05, 1.10, 1.20

// Which column of a test: a trivial predictor, a candidate, or the chosen one.
struct predictor {
    enum { PREDICTOR_TRIVIAL, PREDICTOR_CANDIDATE, PREDICTOR_CHOSEN } kind;
    size_t number;
};

struct errors {
    size_t n;
    double mean, p90, worst; // points
    double rank;             // Spearman's correlation with the truth; NAN: it does not vary
};

// Says a limit holds: by the prediction itself, and by the upper end of its interval.
struct safety {
    size_t said, wrong;               // pairs predicted at most at the limit; of them above it
    size_t said_surely, wrong_surely; // the whole interval is
};

struct skill {
    double value, sd; // 1 - error / error of the best trivial predictor; sd: leaving out programs
    enum trivial best;
};

struct cover {
    size_t n;     // tests that had an interval
    double share; // of them that contain the truth
    double width; // mean, in points
};

struct errors scores_errors(const struct dataset *data, const struct tests *tests,
                            struct predictor predictor);
struct skill scores_skill(const struct dataset *data, const struct tests *tests,
                          struct predictor predictor);
struct cover scores_cover(const struct dataset *data, const struct tests *tests);
void scores_safety(const struct dataset *data, const struct tests *tests,
                   struct safety safety[LIMITS]);

// The noise ceiling, from pairs that were measured twice: no honest predictor is nearer to the
// first measurement than another measurement is, but for its own noise: |y1 - y2| / sqrt(2).
struct ceiling {
    size_t pairs;
    double error;     // points; NAN: nothing was measured twice
    double rank;      // Spearman's correlation of both measurements
    double predicted; // mean error of the chosen model for these pairs
    bool below;       // it is below the ceiling by more than chance explains
    double toward;    // how much nearer it is to the first than to the second, points
    bool drawn;       // by more than chance explains: it has seen the first's runs
};

struct ceiling scores_ceiling(const struct dataset *data, const struct tests *tests);

#endif
