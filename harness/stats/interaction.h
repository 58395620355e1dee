// Interactions: does a load change how one variant compares with another?
#ifndef STATS_INTERACTION_H
#define STATS_INTERACTION_H

#include "interval.h"
#include "settings.h"

// One value of each from every block.
enum corner {
    REFERENCE_ALONE,
    VARIANT_ALONE,
    REFERENCE_LOADED,
    VARIANT_LOADED,
    CORNERS,
};

struct crossed {
    double *value[CORNERS]; // [count] each
    size_t count;
};

void crossed_free(struct crossed *crossed);

// (VARIANT_LOADED / REFERENCE_LOADED) / (VARIANT_ALONE / REFERENCE_ALONE) of the statistic,
// with the confidence of `critical`, `widen` times as wide as for a fixed number of blocks.
// Above 1: under the load the variant's ratio to the reference is larger than alone.
// Without bounds, and with an infinite error, where there are too few blocks, or a statistic
// is not above 0. `values` is emptied and used for a moment.
//
// Of means, and trimmed means: the delta method on the logarithm. Each block's part in it
// is the sum of the four values over their means, with their signs; its standard error has
// Student's t with one degree of freedom less than there are blocks, and what the shape of
// these sums asks for (sample.h). What scales all values of a block cancels. The logarithm
// of the ratio of means is estimated, not the mean of logarithms, which is another figure
// where the four vary differently. A product of two means has no interval of Fieller's kind.
// Of quantiles: the four intervals combined on the logarithms (G. Y. Zou and A. Donner,
// Stat. Med. 27 (2008) 1693-1702), with the correlations of their errors (statistic.h).
// Typical: the centre of what each block's four values say of the logarithm (statistic.h).
struct interval interaction_ratio(struct critical *critical, enum statistic statistic,
                                  const struct crossed *crossed, double widen,
                                  struct sample *values);

#endif
