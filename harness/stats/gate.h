// The gate: is a ratio below or above a limit, or one of "better", "worse" and "the same",
// at a stated error rate, however often one has looked? What a result says of it is in verdicts.h.
#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "bias.h"
#include "relation.h"
#include "session.h"

// Whether a condition's ratio is one that decides: a variant's to the first under the same
// load; of a single program a load's to the baseline. `aa` is no load.
bool gate_decides(const struct settings *settings, size_t condition);

// Where the interval of a ratio that decides lies, for one metric, from --at-most.
enum verdict gate_ratio(struct session *session, size_t condition, size_t metric);

// Of several: above if one is, below if all are, undecided if there are none. Begin with zeros.
struct gate_sum {
    bool any, above, undecided;
};
void gate_add(struct gate_sum *sum, enum verdict verdict);
enum verdict gate_of_all(const struct gate_sum *sum);

// Of all ratios of the experiment that are judged, by their intervals alone: what ends it.
enum verdict gate_verdict(struct session *session);

// Whether two variants, under a load or alone, are the same, or one is better.
enum relation gate_relation(struct session *session, size_t condition, enum against against,
                            size_t metric);

// Whether the gate knows all that it has to: that --at-most is broken; or that it is kept,
// if given, and with --same-within of each ratio whether it is better, worse or the same.
bool gate_is_decided(struct session *session);

// Whether that metric's ratio is judged: it decides, and is not negligible.
bool gate_judges(const struct session *session, size_t condition, size_t metric);

#endif
