// The gate: is a ratio below or above a limit, better, worse or the same?
#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "interval.h"
#include "relation.h"
#include "session.h"
#include "verdict.h"

#include "harness/record/settings.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The gate: is a ratio below or above a limit, or one of "better", "worse" and "the same",
// at a stated error rate, however often one has looked? What a result says of it is below.

// Whether a condition's ratio is one that decides: a variant's to the first under the same
// load; of a single program a load's to the baseline. `aa` is no load.
bool gate_decides(const struct settings *settings, size_t condition);

// Of all ratios of the experiment that are judged, by their intervals alone: what ends it.
enum verdict gate_verdict(struct session *session);

// Whether two variants, under a load or alone, are the same, or one is better.
enum relation gate_relation(struct session *session, struct ratio of);

// Whether the gate knows all that it has to: that --at-most is broken; or that it is kept,
// if given, and where asked of each ratio whether it is better, worse or the same.
bool gate_is_decided(struct session *session);

// How far a bound may be from the ratio for the gate to know what it asks: on which side of
// the limit it is, and whether it is away from 1, or near it on both sides.
double gate_gap(const struct settings *settings, const struct interval *ratio);

// Where the interval of a ratio that decides lies, for one metric, from --at-most. Where runs timed
// out, the ratio of the wall times is at most the true one: it may be above the limit, and is never
// known to be below. Where those of the reference did, it bounds nothing. Neither do other figures:
// of those one does not know what they were at the time-out.
enum verdict gate_ratio(struct session *session, struct ratio of);

// Of several: above if one is, below if all are, undecided if there are none. Begin with zeros.
struct gate_sum {
    bool any, above, undecided;
};

void gate_add(struct gate_sum *sum, enum verdict verdict);
enum verdict gate_of_all(const struct gate_sum *sum);

#endif
