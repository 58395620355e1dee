// The summary: everything that is known at the end, as one JSON object.
#ifndef STATS_SUMMARY_H
#define STATS_SUMMARY_H

#include "session.h"

// A new reference. Without the verdicts of a gate, which depend on all
// warnings (gate.h).
json_t *summary_build(struct session *session);

#endif
