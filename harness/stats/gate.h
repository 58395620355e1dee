// The gate: is a ratio below or above a limit, or one of "better", "worse" and "the same",
// at a stated error rate, however often one has looked?
#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "relation.h"
#include "session.h"

enum verdict { VERDICT_UNDECIDED, VERDICT_BELOW, VERDICT_ABOVE, VERDICTS };

extern const char *const verdict_names[VERDICTS];

// Whether a condition's ratio is one that decides: a variant's to the first under the same
// load; of a single program a load's to the baseline. `aa` is no load.
bool gate_decides(const struct settings *settings, size_t condition);

// Where the interval of a ratio that decides lies, for one metric, from --at-most.
enum verdict gate_ratio(struct session *session, size_t condition, size_t metric);

// The same of one condition: above if it is for one of the metrics that decide and are not
// negligible, below if it is for all.
enum verdict gate_condition(struct session *session, size_t condition);

// Of the experiment: above if one condition that decides is, below if all are.
enum verdict gate_verdict(struct session *session);

// Whether two variants, under a load or alone, are the same, or one is better.
enum relation gate_relation(struct session *session, size_t condition, enum against against,
                            size_t metric);

// Whether the gate knows all that it has to: that --at-most is broken; or that it is kept,
// if given, and with --same-within of each ratio whether it is better, worse or the same.
bool gate_is_decided(struct session *session);

// What to say of the experiment at its end: of --at-most its verdict; of --same-within alone
// `decided` or `undecided`.
const char *gate_word(struct session *session);

#endif
