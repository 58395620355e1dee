// By how much the machine itself differs between the two sides, by the probes before their blocks,
// and what of the difference of the figures follows from that. Nothing is corrected.
#ifndef COMPARE_FACTOR_H
#define COMPARE_FACTOR_H

#include "side.h"

// A new reference to `machine_factor` of a jostle.comparison/1; null: neither side has a probe.
// Its intervals hold together with that confidence.
json_t *factor_compare(const struct side *a, const struct side *b, double confidence);

#endif
