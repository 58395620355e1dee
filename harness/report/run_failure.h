#ifndef REPORT_RUN_FAILURE_H
#define REPORT_RUN_FAILURE_H

#include "view.h"

#include <stdbool.h>

/* How a run failed (jostle.run/1), as harness/stats/judge.h has it. */

/* In words, to be freed; NULL: it did not fail. */
char *run_failure(const struct value *run);

/* Whether figures are made of it, failed or not, with these settings (--ignore-failure). */
bool run_counts(const struct value *run, const struct value *settings);

#endif
