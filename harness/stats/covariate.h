// The gauge as a covariate: what the state of the machine right before and after two runs
// explains of the difference between them (analysis of covariance within pairs).
#ifndef STATS_COVARIATE_H
#define STATS_COVARIATE_H

#include "interval.h"

#include <jansson.h>

// Fewer pairs show no slope: below, the figure is the plain one.
enum { COVARIATE_PAIRS = 8 };

// Pairs as a straight line in c leaves them. One covariate, one degree of freedom: y - r x at
// c = 0 is its mean less slope * mean_c, with the standard error of a regression's intercept.
struct covariate {
    double slope_x, slope_y; // in the values' unit, for each unit of c
    struct pairs rest;       // sums of what the line leaves; its arrays are those of the pairs
    double scale;            // by which the interval of `rest` has to be wider
    double df;               // degrees of freedom
};

// Nothing explained: the pairs as they are.
struct covariate covariate_none(const struct pairs *pairs);

// By least squares. As covariate_none() where c does not vary, or there are fewer than 4 pairs.
struct covariate covariate_fit(const struct pairs *pairs);

// Whether the gauges right after y's runs and right after x's are so different that it is no
// chance (probability below 5 %): then what is compared moves the gauge itself, and what the
// gauge explains would be part of the effect. *p: that probability; NAN: not known.
bool covariate_is_moved(const struct pairs *pairs, double *p);

// The share of the variance of y - r x, r the ratio of the means, that the line explains, less
// what it would explain by chance (adjusted R squared; may be below 0).
double covariate_explained(const struct pairs *pairs, const struct covariate *fit);

// The gauge of a run: the mean logarithm of its figures (common/gauge.h), before and after it;
// and that after it alone. NAN where the record has none.
double covariate_of(const json_t *record, double *after);

#endif
