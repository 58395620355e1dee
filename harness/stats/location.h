// Where a condition's values lie, with an interval that keeps its promise
// although the number of runs was chosen by looking at them.
// docs/statistics.md says how each correction was found and what it costs.
#ifndef STATS_LOCATION_H
#define STATS_LOCATION_H

#include "interval.h"
#include "sample.h"
#include "settings.h"

struct location {
    struct interval interval; // that of the stopping rule
    struct interval robust;   // holds under dependence that the runs do not show, too
    size_t outliers;          // runs far from the others; the mean includes them
};

// Student's t interval of the mean of all values, `widen` times as wide, and wider
// for skewed and for two-peaked ones. It depends on the values and on the design
// alone, never on the requested error.
struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  double widen);

// Factor by which an interval must be wider because the rule that ended the
// experiment has looked at the n values from min_runs on; 1 if it has not.
double location_widening(const struct settings *settings, size_t n);

#endif
