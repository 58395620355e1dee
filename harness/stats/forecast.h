// How many more runs it will take to reach the error of the settings.
#ifndef STATS_FORECAST_H
#define STATS_FORECAST_H

#include "session.h"

// From the error so far: the width shrinks with t / sqrt(n) as long as the
// spread stays what it is; with a gate, until the verdict. All conditions' runs together, at
// least the rest of the block and the rest up to min_runs, at most the rest up to max_runs; -1
// before there are three blocks.
long forecast_runs(struct session *session, double worst_error);

#endif
