#ifndef LOADGEN_HISTOGRAM_H
#define LOADGEN_HISTOGRAM_H

/* Counts of durations in fixed logarithmic buckets, as in HdrHistogram: 128
 * linear buckets for each power of two, so that a reported value differs from
 * the true one by less than 1 %. One thread records; others may read and take
 * differences meanwhile without a lock. */

#include <stdatomic.h>
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

#endif
