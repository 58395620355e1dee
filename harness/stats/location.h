// Where a condition's values lie, with an interval that keeps its promise
// although the number of runs was chosen by looking at them.
// docs/statistics.md says how each correction was found and what it costs.
#ifndef STATS_LOCATION_H
#define STATS_LOCATION_H

#include "interval.h"
#include "sample.h"

struct location {
    struct interval interval;
    size_t set_aside; // outliers that the interval's center leaves out
};

// Student's t interval of the mean. `sequential`: the number of runs was not
// fixed beforehand; then the interval is widened for skewed, for two-peaked and
// for dependent values (`factor`: the variance of their mean over that of
// independent ones), and rare outliers are set aside. With a fixed number it is
// the plain t interval of all values.
struct location location_estimate(struct critical *critical, const struct sample *sample,
                                  bool sequential, double factor);

// Makes the interval so many times as wide, but its error not larger than
// `limit`: for what the runs can neither show nor exclude.
void location_admit(struct location *location, double times, double limit);

// Factor by which an interval must be wider when the rule that ended the
// experiment has looked at the n values (1 if it has not).
double location_widening(size_t n, bool sequential);

#endif
