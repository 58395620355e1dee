// What the record of a run says of a metric, in the metric's unit.
#ifndef RECORD_FIGURE_H
#define RECORD_FIGURE_H

#include "run.h"

struct builtin_metric; // common/metric.h

// How long the target of a record (jostle.run/1) waited for a CPU, in seconds, where no two of its
// tasks had work at the same time, so that its wall time has each such wait in it once: nearly all
// of its CPU time is its main thread's, or it had one CPU and none of its tasks waited for another.
// NAN: the record does not know that of it, or not its waiting.
double figure_alone_wait_s(struct node record);

// Gives a figure by its name: of a built-in one, or else metrics.NAME.value.
double figure_recorded(const char *name, struct node record);

// What of that counts; `is` is the record, too. No figure is below 0 that jostle itself measures,
// the wall time is run_wall_s(), and what the time-out cut short printed less, or nothing, which
// bounds no figure of the output. NAN: nothing does.
double figure_of_run(const char *name, const struct run *is, struct node record);

#endif
