#ifndef LOADGEN_OPS_CLOCK_H
#define LOADGEN_OPS_CLOCK_H

#include <stdatomic.h>
#include <stdint.h>

/* Measurements of the clock by one worker, in the course of its work. */
struct clock_samples {
    _Alignas(64) _Atomic uint64_t sum_hz;
    _Atomic uint64_t count;
    int64_t next_ns; /* the worker's own */
};

/* Between two pieces of work, so at the clock that the work has: adds a measurement if the last
 * one is 5 ms ago (0.3 % of the time). */
void clock_sample(struct clock_samples *samples, int64_t at_ns);

/* Of the counters of a load's snapshots they take so many, in a row. */
#define CLOCK_COUNTERS 2

/* For so many workers, zero; for free(). NULL: no memory. */
struct clock_samples *clock_samples_new(unsigned workers);
/* Adds what all workers (NULL: none yet) have measured to their two counters. */
void clock_count(const struct clock_samples *samples, unsigned workers,
                 double counters[CLOCK_COUNTERS]);
/* The mean clock, in Hz, of what two such counters have grown by; NAN: nothing was measured. */
double clock_mean(const double counters[CLOCK_COUNTERS]);

#endif
