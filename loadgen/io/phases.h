/* loadgen io --phases: what Bonnie reports, in its order, one after the other. */
#ifndef LOADGEN_IO_PHASES_H
#define LOADGEN_IO_PHASES_H

struct run;

/* load.h's instead: measures all phases on a file of its own, that has no name;
 * reports an event `phase` for each and a `summary`. Returns the exit code. */
int io_phases(struct run *run);

#endif
