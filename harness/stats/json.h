// Values of JSON as this program writes them.
#ifndef STATS_JSON_H
#define STATS_JSON_H

#include "interval.h"

#include <jansson.h>

// Computed figures have 12 digits, which a double surely holds; values that were
// read from a record are written with 15, so that they come out as they went in.
enum { FIGURE_DIGITS = 12, RECORD_DIGITS = 15 };

// A new reference to a number, a whole one without a point; to null for what is not
// finite, as JSON has no infinities and what is not known is null.
json_t *json_figure(double value);

// A new reference to [low, high]; to null where one of them is not finite.
json_t *json_bounds(double low, double high);

// The same of an interval; to null without variation, and where a bound is not known.
json_t *json_interval(const struct interval *interval);

// A new reference to the member of that name, or to null.
json_t *json_member(const json_t *object, const char *name);

#endif
