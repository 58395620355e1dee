#ifndef PROBE_REFERENCE_ACTIVITY_H
#define PROBE_REFERENCE_ACTIVITY_H

/* What others do on the quiet machine: `activity` of a jostle.probe-reference/1. Pure. */

#include "harness/probe/reference_record.h"

#include "harness/pressure/activity_table.h"

/* In the activity's unit: the mean of the looks, or, where there is none, the median of the runs
 * alone, which are right after loads whose writes may not be done. NAN: it was not measured. */
double reference_activity_quiet(const struct reference_source *source, enum activity activity);
/* A new object with a member for each activity; NULL: out of memory. */
json_t *reference_activity(const struct reference_source *source);

#endif
