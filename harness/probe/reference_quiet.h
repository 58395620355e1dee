#ifndef PROBE_REFERENCE_QUIET_H
#define PROBE_REFERENCE_QUIET_H

/* What each reporter reaches on the quiet machine: `quiet` of a jostle.probe-reference/1. Pure. */

#include "reference_record.h"

/* A new object with a member for each reporter; NULL: out of memory. The value is that of the looks
 * before and after the experiment, as jostle probe samples: runs alone in between are right after
 * loads, whose traces (cold caches, a disk that is still writing) make them worse by up to 40 %.
 * Where there is no look, it is that of the runs alone. */
json_t *reference_quiet(const struct reference_source *source);

#endif
