#ifndef REPORT_CHECKS_H
#define REPORT_CHECKS_H

#include "experiment.h"

#include "common/json.h"

/* What a gate, or somebody who reads a pull request, wants to know of a cell, as texts. A member
 * "checks", one for each ratio of each metric of --metric:
 *
 *   {what, metric, reference, figure, ratio, change, gate, why, verdict, message, time_s}
 *
 * gate: the answer to --at-most, "below", "above" or "undecided"; null where this ratio was not
 * judged. why: the problems that leave it undecided, "load-short"; else null. verdict: of a
 * comparison of variants; else null. change: "3.8 % [3.0, 4.5] slower". reference and ratio are
 * null of a measurement that compares nothing, and of a capacity. time_s: of all runs. first: of
 * the cells of its experiment, which has the comparisons of variants. */
void checks_put(struct line *json, const struct cell *cell, bool first);

/* The flags in the member "why" of a ratio or of a gate: "load-short, carry-over"; to be freed.
 * NULL: there are none. */
char *checks_why(const struct value *judged);

#endif
