// What the loads offered on either side: one spec is another load after another calibration.
#ifndef COMPARE_OFFERED_H
#define COMPARE_OFFERED_H

#include "side.h"

// A new `offered` of a jostle.comparison/1: {what, a, b} for each load of these conditions
// (their names) whose offered rate differs by more than 2 %, and than it varies from run to run.
// Appends to `compared` the names of all loads that were compared.
json_t *offered_differing(const struct side *a, const struct side *b, const json_t *conditions,
                          json_t *compared);

#endif
