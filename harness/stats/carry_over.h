#ifndef STATS_CARRY_OVER_H
#define STATS_CARRY_OVER_H

#include "interval.h"

#include <stddef.h>

// Carry-over: what a loaded run leaves behind for the run that follows it, such as an
// evicted page cache, dirty pages, or heat.

struct carry_over {
    double ratio, low, high; // how many times as long the baseline takes after such a run
    double p;                // two-sided, of a ratio of 1; NAN: too few runs to test
    size_t after, others;    // baseline runs that directly follow one, or an unloaded run
};

// Fills in what follows from a difference of logarithms and its standard error, by Student's t with
// df degrees of freedom.
void carry_over_settle(struct carry_over *result, struct critical *critical, double difference,
                       double error, double df);

#endif
