#ifndef REPORT_SESSIONS_RESULT_H
#define REPORT_SESSIONS_RESULT_H

#include "experiment.h"
#include "groups.h"

/* part: the experiment of each session of the group. A result over them, as jostle.result/1
 * as far as a report reads it; to be freed. Its ratios are those of harness/stats/interval.h,
 * its other figures means over the sessions with the interval of Student's t, at the
 * confidence of the first session's intervals. */
char *sessions_result(const struct experiment *part, const struct group *group);

#endif
