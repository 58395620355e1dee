#ifndef REPORT_RUN_VALUE_H
#define REPORT_RUN_VALUE_H

#include "view.h"

/* What a run's record (jostle.run/1) says of a metric, in its unit; NAN: nothing. */
double run_value(const struct value *run, const char *metric);

#endif
