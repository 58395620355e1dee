/* Has a series of one-second rates reached a steady state? By the slope of a
 * straight line through it, as fio's steadystate=iops_slope / bw_slope does. */
#ifndef LOADGEN_STEADY_H
#define LOADGEN_STEADY_H

#include <stdbool.h>
#include <stddef.h>

/* fio leaves its limit to the user. This one, in percent of the mean for each
 * second, is 10 % over a window of ten: what SNIA's performance test allows. */
#define STEADY_SLOPE_LIMIT 1.0

struct steady {
    double mean;    /* of the samples, in their unit */
    double sd;      /* sample standard deviation, in their unit */
    double minimum; /* the least and */
    double maximum; /* the greatest sample */
    double slope;   /* least squares, percent of the mean for each sample */
    bool steady;    /* |slope| < STEADY_SLOPE_LIMIT, with at least 3 samples */
};

/* Judge `count` samples that were taken at equal distances. With none, all is
 * 0 and not steady. */
struct steady steady_of(const double *samples, size_t count);

#endif
