#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "interval.h"
#include "session.h"
#include <jansson.h>

// The gate: is a ratio below or above a limit, or one of "better", "worse" and "the same",
// at a stated error rate, however often one has looked? What a result says of it is below.

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
// if given, and where asked of each ratio whether it is better, worse or the same.
bool gate_is_decided(struct session *session);

// How far a bound may be from the ratio for the gate to know what it asks: on which side of
// the limit it is, and whether it is away from 1, or near it on both sides.
double gate_gap(const struct settings *settings, const struct interval *ratio);

// What the gate says in a result: of each ratio that it judges, of each condition, and of the
// experiment, and which problems leave it undecided.

// Adds that to a summary which has all its warnings: a gate never passes beside a problem that
// biases what it judges.
void verdicts_add(struct session *session, json_t *summary);

// The gate's word in a summary, "" without a gate: of --at-most its verdict; without that
// `decided` or `undecided`; of --until as of --at-most.
const char *verdicts_word(const json_t *summary);

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
