#ifndef REPORT_LISTS_H
#define REPORT_LISTS_H

#include "experiment.h"

/* The used runs of a cell, by condition: {"baseline": {"times": [..],
 * "memory_usage_byte": [..], "exit_codes": [..]}, ..}, to be freed. */
char *lists_of_runs(const struct cell *cell);

#endif
