#ifndef STATS_WARNINGS_H
#define STATS_WARNINGS_H

#include "messages.h"
#include "session.h"

// What is odd about the runs of one condition, seen in their values alone.

// A set of flags below ODDITIES, a bit each (1 << flag), for one condition and
// metric; 0 for fewer than 3 runs.
unsigned oddities_find(struct session *session, size_t condition, size_t metric);

// Appends a warning about each of them.
void oddities_add(struct session *session, size_t condition, size_t metric, json_t *warnings);

// The warnings that the session itself gives reason for: odd values, failed
// runs, short loads, errors that are too large, slowdowns that are none.

// A new reference to an array of warnings (message_finish) for all conditions
// and the chosen metrics.
json_t *warnings_of(struct session *session);

#endif
