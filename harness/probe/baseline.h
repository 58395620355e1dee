#ifndef PROBE_BASELINE_H
#define PROBE_BASELINE_H

/* The reference of this host and place, as assess.h needs it. */

#include "harness/probe/now.h"

/* Fills baseline, reference, cpus and reasons of the plan. environment: this machine's, as
 * environment_to_json() gives it; NULL: the reference is of the readings' machine. False after a
 * message: a file that was named cannot be used. Without a reference has_baseline is false, and a
 * reason says how to make one. */
bool baseline_read(struct probe_plan *plan, const json_t *environment);

#endif
