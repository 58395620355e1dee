// What is odd about the runs of one condition, seen in their values alone.
#ifndef STATS_ODDITIES_H
#define STATS_ODDITIES_H

#include "messages.h"
#include "session.h"

// A set of flags below ODDITIES, a bit each (1 << flag), for one condition and
// metric; 0 for fewer than 3 runs.
unsigned oddities_find(struct session *session, size_t condition, size_t metric);

// Whether a ratio of the condition, or of what is compared with it, changes within the experiment.
bool oddities_unsteady(struct session *session, size_t condition, size_t metric);

#endif
