// The runs of a session that straggle, and what they do to a ratio.
#ifndef STATS_STRAGGLING_H
#define STATS_STRAGGLING_H

#include "interval.h"
#include "session.h"
#include "stragglers.h"

#include <stdbool.h>

// A pair's two stragglers: x's are those of the condition where higher is better.
struct straggler_sides {
    struct stragglers x, y;
    bool higher;
};

struct straggler_sides stragglers_sides(const struct session *session, struct ratio of);

// The probability of stragglers_p(), of blocks in which only one of the condition and its reference
// straggled.
double stragglers_pairs_p(const struct pairs *pairs, const struct straggler_sides *sides);

// The ratio of the means, with bounds that stragglers do not spoil: to cut the
// condition's own to the longest of the other runs only lowers its mean, so that the ratio is at
// least the lower bound without them; those that were not seen may raise it by any amount, so that
// it has no upper bound (NAN) before so many were seen that they show what they add
// (stragglers_needed()). Of the reference's it is the other way round. Without the pairs it has no
// bounds at all.
struct interval stragglers_mean(struct session *session, struct ratio of);

#endif
