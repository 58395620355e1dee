#ifndef REPORT_SERVICE_H
#define REPORT_SERVICE_H

#include "experiment.h"

#include "common/json.h"

/* Lines on the service that the target is a client of, as texts of the open array: which it is,
 * and its CPU time, memory, starts and deaths in each condition. Nothing without one.
 * who: begins each of them, where there are several experiments; NULL: nothing does. */
void service_put_lines(struct line *json, const struct experiment *experiment, const char *who);

#endif
