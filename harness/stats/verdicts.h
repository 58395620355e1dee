// What the gate says in a result.
#ifndef STATS_VERDICTS_H
#define STATS_VERDICTS_H

#include "session.h"

#include <jansson.h>

// What the gate says in a result: of each ratio that it judges, of each condition, and of the
// experiment, and which problems leave it undecided.

// Adds that to a summary which has all its warnings: a gate never passes beside a problem that
// biases what it judges.
void verdicts_add(struct session *session, json_t *summary);

// The gate's word in a summary, "" without a gate: of --at-most its verdict; without that
// `decided` or `undecided`; of --until as of --at-most.
const char *verdicts_word(const json_t *summary);

#endif
