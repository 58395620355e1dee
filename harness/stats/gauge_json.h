// What the gauge says of one ratio, in the result: with and without it, and what it saved.
#ifndef STATS_GAUGE_JSON_H
#define STATS_GAUGE_JSON_H

#include "session.h"

#include <jansson.h>

// `gauge_adjustment` of a slowdown or comparison (results/schema/jostle.result.schema.json); null
// where no run has one, or it says nothing about this metric. Not of AGAINST_BOTH.
json_t *gauge_json(struct session *session, size_t condition, enum against against, size_t metric);

// What the gauge explains of the variance of the pairs (covariate_explained), and *saved, the
// share of the runs that the same error needs less (schema); below 0: more. NAN: not known.
double gauge_worth(struct session *session, size_t condition, enum against against, size_t metric,
                   double *saved);

#endif
