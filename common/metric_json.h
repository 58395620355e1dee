#ifndef COMMON_METRIC_JSON_H
#define COMMON_METRIC_JSON_H

#include "common/metric.h"

#include <jansson.h>

// What a record (jostle.run/1) says of a metric, in the metric's unit; NAN where a member
// is null or is not there.
double builtin_metric_value(const struct builtin_metric *metric, const json_t *record);

// The same by name: a built-in one, or else metrics.NAME.value.
double metric_value(const char *name, const json_t *record);

// A defined metric as settings.metrics of experiment.json has it: {name, variant, source, take,
// scale, unit, better, role, quantile, loop, adapter}; the last four are null where not given,
// variant and scale are left out: records from before they were there shall be the same. adapter:
// where it is from, or NULL. A new reference; NULL: out of memory.
json_t *metric_to_json(const struct metric *metric, const char *adapter);

#endif
