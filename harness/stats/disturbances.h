// The warnings that records and experiment.json give reason for: runs that the
// machine disturbed, several hosts, what loads and harness said on the way.
#ifndef STATS_DISTURBANCES_H
#define STATS_DISTURBANCES_H

#include "experiment.h"

// Appends them to `warnings`; `records` is an array of those that are no warm-up. Of the
// first `left_out` blocks no figure is made (session_left_out): what disturbed those is no
// matter.
void disturbances_add(const struct experiment *experiment, const json_t *records, size_t left_out,
                      json_t *warnings);

#endif
