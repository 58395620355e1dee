// The two answers about a ratio: what typically happens, and what seldom does.
#ifndef STATS_ANSWER_H
#define STATS_ANSWER_H

#include "session.h"

#include <jansson.h>

// Adds to the record of a ratio, whatever its own statistic is:
// - typical, mean: {ratio, ci: [low, high]}; of the mean a bound is null that the runs cannot tell
//   (stragglers.h)
// - stragglers: of the condition and of its reference {runs, of, share: [low, high], times,
//   needed}; p: that as uneven a share is chance
// - answer: both in words, "Beside half it takes 1.50 times as long (1.46 to 1.54). Besides, 1 run
//   in 10 (1 in 30 to 1 in 4) takes 10 times as long, none alone: on average 2.4 times."; seldom:
//   the second sentence alone, null where no run straggles.
void answer_add(struct session *session, size_t condition, enum against against, size_t metric,
                json_t *record);

#endif
