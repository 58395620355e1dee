#ifndef PROBE_REFERENCE_PLAN_H
#define PROBE_REFERENCE_PLAN_H

#include "reference_options.h"

/* Writes to stdout, as pairs (common/pair.h), what bash has to do: `folder`, `record`; the
 * `argument`s of jostle slowdown; `forecast`, for people. Returns the exit status. */
int reference_plan(const struct reference_choices *choices);

#endif
