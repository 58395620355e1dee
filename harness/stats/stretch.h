// How much wider than Student's an interval of a mean must be on either side,
// for what the shape of the values shows: a long tail, or a smaller group.
#ifndef STATS_STRETCH_H
#define STATS_STRETCH_H

#include "sample.h"

struct stretch {
    double low, high; // multiples of Student's half-width, at least 1
};

// Of the mean of those values. `delayed`: something adds delays to them now and
// then, so a long tail to the right is to be expected although few values may
// not show it; `delayed_down`: one to the left. docs/statistics.md says how each correction was
// found.
struct stretch stretch_of(const struct sample *sample, bool delayed, bool delayed_down);

#endif
