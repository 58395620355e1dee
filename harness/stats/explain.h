// How much of the variance of one series another one explains: a straight line, its R2 and slope,
// and how sure both are.
#ifndef STATS_EXPLAIN_H
#define STATS_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

// Fewer values show nothing: the interval of R2 would span nearly all from 0 to 1.
enum { EXPLAIN_LEAST = 8 };

struct explained {
    double n;            // values, as far as they count as independent
    double r2, adjusted; // adjusted for the line's degree of freedom; may be below 0
    double low, high;    // of R2, by Fisher's z of the correlation; low is 0 where it may be
    double slope, slope_low, slope_high;
    double p; // two-sided, of a slope of 0
};

// The line y = a + slope x of n values. `series`: they are in the order of time, and neighbours
// may resemble each other: two series that both wander correlate by chance, so they count as
//   n (1 - rx ry) / (1 + rx ry)
// independent ones, rx and ry being their correlations with their own neighbours (M. S. Bartlett,
// J. R. Statist. Soc. 98 (1935) 536-543), where that is fewer. All NAN where fewer than 5 are
// left, or one does not vary. Noise of x makes R2 and slope smaller than they are.
struct explained explain(const double *x, const double *y, size_t n, double confidence,
                         bool series);

struct drift {
    double change;    // of the line from the first value to the last
    double low, high; // its interval
    double p;         // two-sided, of no change
};

// The drift of n values in the order of time, by a straight line; neighbours that resemble each
// other beyond the line widen its interval. NAN for fewer than 5, or equal ones.
struct drift explain_drift(const double *y, size_t n, double confidence);

// The probability that several means, each with its standard error and degrees of freedom, lie as
// far apart by chance or farther: B. L. Welch's analysis of variance with unequal variances
// (Biometrika 38 (1951) 330-336). NAN: fewer than two, or one has no error.
double explain_apart(const double *mean, const double *error, const double *df, size_t n);

#endif
