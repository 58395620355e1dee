// The gate: is a slowdown below or above a limit, at a stated error rate,
// however often one has looked?
#ifndef STATS_GATE_H
#define STATS_GATE_H

#include "session.h"

enum verdict { VERDICT_UNDECIDED, VERDICT_BELOW, VERDICT_ABOVE, VERDICTS };

extern const char *const verdict_names[VERDICTS];

// Of one condition: where its slowdown's interval lies, for the metrics that
// were chosen and are not negligible.
enum verdict gate_condition(struct session *session, size_t condition);

// Of the experiment: above if one load is, below if all are. `aa` is no load.
enum verdict gate_verdict(struct session *session);

#endif
