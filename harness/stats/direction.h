// Ratios in the direction that people say them: the statistics have them so that above 1
// is worse, whatever the metric.
#ifndef STATS_DIRECTION_H
#define STATS_DIRECTION_H

#include "interval.h"
#include "settings.h"

#include <jansson.h>

// The plain quotient, condition / reference, of a ratio above 1 for worse, with its interval:
// the same where lower is better, and the inverse where higher is. Its error is half the
// width of its own interval, relative; INFINITY without bounds.
struct interval direction_of_reference(const struct interval *ratio, bool higher_is_better);

// Words about the plain quotient, to be freed: "throughput 0.74 [0.71, 0.78] of alone",
// "wall_s 1.38 [1.30, 1.45] times alone". `reference`: what it is compared with, "alone"
// for the baseline. NULL: no ratio, or no memory.
char *direction_text(const struct metric_setting *metric, const struct interval *ratio,
                     const char *reference);

// Adds to a record of a ratio how it is said: unit, better, of_reference, of_reference_ci,
// text.
void direction_to_json(const struct metric_setting *metric, const struct interval *ratio,
                       const char *reference, json_t *object);

#endif
