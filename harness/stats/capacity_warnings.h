// What is to be known about a search for the capacity.
#ifndef STATS_CAPACITY_WARNINGS_H
#define STATS_CAPACITY_WARNINGS_H

#include "session.h"

// Appends the warnings of each condition's search to an array.
void capacity_warnings(struct session *session, json_t *list);

#endif
