// Two experiments side by side: two versions, two nodes, two days.
#ifndef STATS_COMPARE_H
#define STATS_COMPARE_H

#include "interval.h"
#include "session.h"

// How many times the figure of condition_a in `a` that of condition_b in `b` is, with the
// confidence of `critical`. The sessions share no block, so these are independent, and
// each is judged by its own settings. NAN, with an infinite error, where one has fewer
// than two runs, or runs that timed out, or the two are of different statistics.
struct interval compare_ratio(struct critical *critical, struct session *a, size_t condition_a,
                              struct session *b, size_t condition_b, enum metric metric);

#endif
