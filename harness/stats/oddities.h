#ifndef STATS_ODDITIES_H
#define STATS_ODDITIES_H

#include "messages.h"
#include "session.h"

// What is odd about the runs of one condition, seen in their values alone.

// A set of flags below ODDITIES, a bit each (1 << flag), for one condition and
// metric; 0 for fewer than 3 runs.
unsigned oddities_find(struct session *session, size_t condition, size_t metric);

// Appends a warning about each of them.
void oddities_add(struct session *session, size_t condition, size_t metric, json_t *warnings);

#endif
