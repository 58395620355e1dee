// Comparisons that were repeated: what differs between the machine's one hour and the next is then
// part of the interval, so that a verdict is about what was measured.
#ifndef COMPARE_SESSIONS_H
#define COMPARE_SESSIONS_H

#include <jansson.h>

// A new `over_sessions` of a jostle.comparison/1 from an array of such: the ratio of each
// condition and metric that all have, with Student's interval over the sessions' ratios.
json_t *sessions_rows(const json_t *sessions);

// A new `gate`: whether all these rows are at most that limit, or the least one above it; without
// rows, or beside a problem of a session that biases, undecided, and why.
json_t *sessions_gate(const json_t *rows, const json_t *sessions, double at_most);

// What the command exits with.
int sessions_exit(const json_t *gate);

#endif
