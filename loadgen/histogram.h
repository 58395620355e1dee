#ifndef LOADGEN_HISTOGRAM_H
#define LOADGEN_HISTOGRAM_H

/* Counts of durations in fixed logarithmic buckets, as in HdrHistogram: 128
 * linear buckets for each power of two, so that a reported value differs from
 * the true one by less than 1 %. One thread records; others may read and take
 * differences meanwhile without a lock. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_LINEAR_BITS  7
#define HISTOGRAM_LARGEST_BITS 42 /* 73 minutes; longer counts as that */
#define HISTOGRAM_BUCKETS                                                                          \
    ((HISTOGRAM_LARGEST_BITS - HISTOGRAM_LINEAR_BITS + 1) << HISTOGRAM_LINEAR_BITS)

struct histogram {
    _Atomic uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Adds one duration; below 0 counts as 0. */
void histogram_record(struct histogram *histogram, int64_t time_ns);
/* sum += part. */
void histogram_add(struct histogram *sum, const struct histogram *part);
/* later -= earlier, for a later and an earlier state of the same histogram. */
void histogram_subtract(struct histogram *later, const struct histogram *earlier);
/* The value at a quantile (0 to 1): the middle of the bucket that holds the
 * ceil(quantile * total)-th smallest. -1 when it is empty. 1 is the maximum. */
int64_t histogram_quantile(const struct histogram *histogram, double quantile);
/* How many are below a time (a power of two: exactly; else to within its bucket). */
uint64_t histogram_below(const struct histogram *histogram, int64_t time_ns);
uint64_t histogram_total(const struct histogram *histogram);

/* Has a series of one-second rates reached a steady state? By the slope of a
 * straight line through it, as fio's steadystate=iops_slope / bw_slope does. */

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
