// Where a condition's values lie, with an interval that keeps its promise
// although the number of runs was chosen by looking at them.
// docs/statistics.md says how each correction was found and what it costs.
#ifndef STATS_LOCATION_H
#define STATS_LOCATION_H

#include "interval.h"
#include "sample.h"

struct location {
    struct interval interval; // that of the stopping rule
    struct interval robust;   // holds under dependence that the runs do not show, too
    size_t outliers;          // runs far from the others; the mean includes them
};

// Student's t interval of the mean of all values, widened for skewed, for
// two-peaked and for dependent ones (`factor`: the variance of their mean over
// that of independent ones), and for having looked where the number of runs was
// not fixed beforehand (`sequential`). It depends on the values and on the design
// alone, never on the requested error.
struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  bool sequential, double factor);

// Factor by which an interval must be wider when the rule that ended the
// experiment has looked at the n values (1 if it has not).
double location_widening(size_t n, bool sequential);

#endif
