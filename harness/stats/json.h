#ifndef STATS_JSON_H
#define STATS_JSON_H

#include "common/record_json.h"
#include "interval.h"

// A new reference to [low, high] of an interval; to null without variation, and where a bound is
// not known.
json_t *json_interval(const struct interval *interval);

// Puts its center under that name, and its bounds as "ci".
void json_put_interval(json_t *object, const char *name, const struct interval *interval);

#endif
