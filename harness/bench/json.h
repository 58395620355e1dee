/* Reading and building JSON, where memory that runs out ends the program. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include "common/record_json.h"
#include "harness/stats/interval.h"

#include <jansson.h>
#include <stdbool.h>

/* New references. NULL makes null; a number that is not finite, too. */
json_t *json_text(const char *value);
json_t *json_number(double value);

/* Both take over the value. */
void json_put(json_t *object, const char *key, json_t *value);
void json_add(json_t *array, json_t *value);

/* Puts `name` and "ci" (null where there is none) of an interval. */
void json_put_interval(json_t *object, const char *name, const struct interval *interval);

#endif
