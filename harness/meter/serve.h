#ifndef METER_SERVE_H
#define METER_SERVE_H

#include "run.h"

// serve: makes a run for each line `run` or `run N` (of the command N) on stdin, until its end.
// Returns meter's exit code.
int serve(struct runner *runner);

#endif
