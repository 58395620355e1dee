// The sentence of each flag: what was seen, in which runs, what it does to the
// figure, what to do.
#ifndef STATS_WORDS_H
#define STATS_WORDS_H

#include "diagnose.h"

// A new reference to a warning {flag, condition, metric, message, runs}, where
// runs are the orders of those that the flag is about; NULL if memory ran out.
json_t *words_of(struct session *session, size_t condition, enum metric metric, enum flag flag);

#endif
