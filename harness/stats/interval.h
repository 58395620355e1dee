// Intervals: what is estimated, its bounds, and how far it may be off.
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

// Intervals: what is estimated, its bounds, and how far it may be off.

struct interval {
    double center; // the estimate
    double low, high;
    double error;  // half the width / center; INFINITY where there are no bounds
    bool constant; // no variation: both bounds are the center, which is no interval
};

// Student's t quantiles of one confidence level, by degrees of freedom. GSL
// takes microseconds for each, and the rule asks for one after every run.
struct critical {
    double confidence; // two-sided
    double *quantile;  // [df], filled when first needed, 0 = not yet
    size_t size;
    size_t *bound; // of signed ranks (interval.h), [differences], SIZE_MAX = not yet
};

void critical_init(struct critical *critical, double confidence);
void critical_free(struct critical *critical);

// The two-sided quantile t with P(|T| <= t) = confidence; df may be a fraction.
double critical_t(struct critical *critical, double df);

// An estimate without bounds: its error is INFINITY.
struct interval interval_unbounded(double center);

// A figure without variation: its error is 0, and it delays no decision.
struct interval interval_constant(double center);

// An estimate with those bounds, and the error that they make it.
struct interval interval_between(double center, double low, double high);

// Whether 1 is outside: of a ratio, a difference.
bool interval_excludes_one(const struct interval *ratio);

// In another unit.
struct interval interval_scaled(struct interval interval, double factor);

// Of what cannot be negative, such as a time or a ratio of times: no bound below 0.
struct interval interval_positive(struct interval interval);

// Mean of n values with that variance (n-1): mean -+ t * widen * s / sqrt(n).
struct interval interval_mean(struct critical *critical, double mean, double variance, size_t n,
                              double widen);

// Pairs (x, y), y measured in the same block as x, and sums over them.
struct pairs {
    double *x, *y; // in the order of the blocks
    size_t count, capacity;
    double mean_x, mean_y, xx, xy, yy; // xx, xy, yy: sums about the means
};

// Adds a pair to the sums alone; or appends it, too.
void pairs_sum(struct pairs *pairs, double x, double y);
void pairs_add(struct pairs *pairs, double x, double y);

// Empties them, and keeps their memory for the next experiment.
void pairs_clear(struct pairs *pairs);

void pairs_free(struct pairs *pairs);

// Ratio of the means y/x from pairs: all r for which the mean of y - r x does
// not differ from 0 by a paired t test. E. C. Fieller, "Some problems in
// interval estimation", J. R. Statist. Soc. B 16 (1954) 175-185. A drift that
// scales both values of a pair cancels. Without bounds (x not surely above 0)
// the error is INFINITY. Student's t may differ between the two bounds: where the
// values are skewed, one side needs more.
struct interval interval_ratio(const struct pairs *pairs, double t_low, double t_high);

// Ratios are held so that above 1 is worse, whatever the metric; people say the plain quotient,
// condition / reference: the same where lower is better, and the inverse where higher is. Its error
// is half the width of its own interval, relative; INFINITY without bounds.
struct interval interval_of_reference(const struct interval *ratio, bool higher_is_better);

#endif
