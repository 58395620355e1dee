// Waits for the end of a run, and sees to it.
#ifndef METER_SUPERVISE_H
#define METER_SUPERVISE_H

#include "run.h"

// Waits until the main process and all its descendants have ended,
// and sees to it that they do: at the time-out, when meter is interrupted, and
// after the main process. This process must be a subreaper without other
// children.
void supervise(struct run *run);

#endif
