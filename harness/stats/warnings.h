// The warnings that the session itself gives reason for: odd values, failed
// runs, short loads, errors that are too large, slowdowns that are none.
#ifndef STATS_WARNINGS_H
#define STATS_WARNINGS_H

#include "session.h"

// A new reference to an array of warnings (message_finish) for all conditions
// and the chosen metrics.
json_t *warnings_of(struct session *session);

#endif
