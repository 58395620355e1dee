#ifndef LOADGEN_FAILURE_H
#define LOADGEN_FAILURE_H

/* What went wrong in a run; run_fail(), worker_fail() and run_warn() of load.h. */

struct run;

/* Why the load failed, or NULL. */
const char *failure_of(const struct run *run);

#endif
