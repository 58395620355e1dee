// The gate: is a slowdown below or above a limit, at a stated error rate,
// however often one has looked?
#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "session.h"

enum verdict { VERDICT_UNDECIDED, VERDICT_BELOW, VERDICT_ABOVE, VERDICTS };

extern const char *const verdict_names[VERDICTS];

// What takes the place of Student's t in an interval that holds at all n at
// once with probability `confidence`. It inverts the mixture t test with effect
// sizes N(0, 1/c): T. L. Lai, "On confidence sequences", Ann. Statist. 4 (1976)
// 265-280; H. Wang and A. Ramdas, "Anytime-valid t-tests and confidence
// sequences for Gaussian means with unknown variance" (2025). INFINITY while n
// is too small for any bound.
double gate_critical(double confidence, size_t n);

// Of one condition: where its slowdown's interval lies, for the metrics that
// were asked for and are not negligible.
enum verdict gate_condition(struct session *session, size_t condition);

// Of the experiment: above if one load is, below if all are. `aa` is no load.
enum verdict gate_verdict(struct session *session);

#endif
