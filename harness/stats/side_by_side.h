// Two experiments side by side: two versions, two nodes, two days.
#ifndef STATS_SIDE_BY_SIDE_H
#define STATS_SIDE_BY_SIDE_H

#include "interval.h"
#include "session.h"

#include <stddef.h>

// Two experiments side by side: two versions, two nodes, two days.

// One of the two: a metric has an index of its own in each session.
struct compared {
    struct session *session;
    size_t condition, metric;
};

// How many times as bad as a's figure b's is: b/a, or a/b where higher is better; with the
// confidence of `critical`. The sessions share
// no block, so these are independent, and each is judged by its own settings. NAN, with
// an infinite error, where one has fewer than two runs, or runs that timed out, or the
// two are of different statistics.
struct interval compare_ratio(struct critical *critical, const struct compared *a,
                              const struct compared *b);

#endif
