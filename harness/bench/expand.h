/* From the matrix to what is measured: a campaign file and the plan of the bench. */
#ifndef BENCH_EXPAND_H
#define BENCH_EXPAND_H

#include "options.h"

#include <jansson.h>

/* jostle.bench-plan/1 of what the settings ask for. A new reference. */
json_t *expand_plan(const struct request *request);

/* Writes DIR/bench-plan.json, and DIR/bench.conf, the campaign file of the same cells.
 * False after a message. */
bool expand_write(const json_t *plan, const char *dir);

#endif
