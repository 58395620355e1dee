// What is counted of a run, rather than found in its output: events of the kernel, and energy.
#ifndef METER_GAUGE_H
#define METER_GAUGE_H

#include "sought.h"

#include <stdbool.h>

// A multiplexed counter has to have counted for so much of the time: what it says of the rest is a
// guess.
#define GAUGE_SHARE 0.9

// Gets ready for a metric. False after a message: there is no such event here.
bool gauge_begin(struct sought *sought);

// Opens the events in the calling process, at rest: a process that is forked afterwards
// counts from its exec on, with its descendants.
void gauge_open(struct sought *sought);

// To be called right before the target is started.
void gauge_start(struct sought *sought);

// To be called once the tree has ended. Closes what is open, and sets figure.
void gauge_stop(struct sought *sought);

#endif
