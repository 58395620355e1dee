#ifndef STATS_STATISTIC_H
#define STATS_STATISTIC_H

#include "groups.h"
#include "interval.h"
#include "sample.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

// Statistics other than the mean: median, trimmed mean, 90th and 99th percentile;
// of one condition, and their ratio from pairs.

// Its estimate from ascending values; NAN for none.
double statistic_value(enum statistic statistic, const double *sorted, size_t n);

// The fewest values that allow an interval at that confidence.
size_t statistic_runs(enum statistic statistic, double confidence);

// Its interval for one condition, `widen` times as wide as for a fixed number of
// independent values. Without bounds, and with an infinite error, where the values
// are too few.
struct interval statistic_location(struct critical *critical, enum statistic statistic,
                                   const struct sample *sample, double widen);

// The ratio y/x of the two conditions' statistics, `widen` times as wide as for a fixed
// number of pairs. Without bounds, and with an infinite error, where the pairs are too few, or
// x is not surely above 0.
struct interval statistic_ratio(struct critical *critical, enum statistic statistic,
                                const struct pairs *pairs, double widen);

// What typically happens to a pair of runs: the centre of the ratios of its two values, which a
// few stragglers hardly move.

// How pairs are compared: by the logarithms of their ratios y/x; where a value is not above 0,
// by the differences y - x over the median of x.
enum change { CHANGE_LOGARITHM, CHANGE_DIFFERENCE, CHANGE_NONE };

// Fills `changes` with those, in the order of the blocks. CHANGE_NONE: there are no pairs, or
// the median of x is not above 0.
enum change typical_changes(const struct pairs *pairs, struct sample *changes);

// The ratio that a change of that kind is.
double change_ratio(enum change change, double value);

// The ratio whose logarithm is the Hodges-Lehmann estimate of the changes, with the interval of
// their signed ranks (interval.h), `widen` times as wide on either side. Where load scales what a
// program takes, log y and log x have the same shape and their difference is symmetric about the
// logarithm of the ratio, whatever that shape is: the interval then holds exactly, but for changes
// that are far from the others, which count as less far (docs/statistics.md). Without bounds, and
// with an infinite error, where the pairs are too few, or there are none.
struct interval typical_ratio(struct critical *critical, const struct pairs *pairs, double widen);

// The two groups that the ratios y/x fall into, where they are further apart than `apart`, a share
// of the lower one.
struct groups typical_groups(const struct pairs *pairs, double apart);

// The relative standard error of the ratio of one pair, as the spread of the pairs shows it: known
// before there is an interval. NAN where there are no changes.
double typical_error_of_one(const struct pairs *pairs);

// Where a condition's values lie, with an interval that keeps its promise
// although the number of runs was chosen by looking at them.
// docs/statistics.md says how each correction was found and what it costs.

struct location {
    struct interval interval; // that of the stopping rule
    struct interval robust;   // holds under dependence that the runs do not show, too
    size_t outliers;          // runs far from the others; the mean includes them
};

// Student's t interval of the mean of all values, `widen` times as wide, and wider
// for skewed and for two-peaked ones. It depends on the values and on the design
// alone, never on the requested error.
struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  double widen);

// Factor by which an interval must be wider because the rule that ended the
// experiment has looked at the n values from min_runs on; 1 if it has not.
double location_widening(const struct settings *settings, size_t n);

// Interactions: does a load change how one variant compares with another?

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
