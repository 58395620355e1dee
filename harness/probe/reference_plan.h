#ifndef PROBE_REFERENCE_PLAN_H
#define PROBE_REFERENCE_PLAN_H

#include "reference_options.h"

/* Writes to stdout, as pairs (common/pair.h), what bash has to do: `folder`, `record`; a
 * `calibrate` with the load, its `word`s and an `end` for each kind that needs it; the
 * `argument`s of jostle slowdown; `forecast`, for people. Returns the exit status. */
int reference_plan(const struct reference_choices *choices);

#endif
