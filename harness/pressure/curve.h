#ifndef PRESSURE_CURVE_H
#define PRESSURE_CURVE_H

/* A curve that never turns: isotonic regression, weighted by the variances, by pooling adjacent
 * violators (Barlow, Bartholomew, Bremner and Brunk, "Statistical inference under order
 * restrictions", Wiley 1972), through 0 at level 0. A reporter may read better beside a load (a
 * CPU that is kept awake wakes a sleeper sooner), so the curve rises or falls, whichever fits
 * better. Pure. */

#include <stddef.h>

enum { CURVE_POINTS = 16 };

struct curve_point {
    double value, variance;         /* as measured; the variance is above 0 */
    double fitted, fitted_variance; /* of the curve */
};

/* count points, by level, the first of them above 0; at most CURVE_POINTS. Points with a value of
 * NAN are left out, and fitted to NAN. The variance of points that are pooled is that of their
 * weighted mean; of those that are pooled with the 0, it stays their own. */
void curve_fit(struct curve_point *point, size_t count);

/* The same of a curve that can only rise. */
void curve_fit_rising(struct curve_point *point, size_t count);

#endif
