// Programs that run for a fixed time, such as sysbench --time or wrk: beside a load they take as
// long as alone and get less done, so that their time is no answer.
#ifndef STATS_FIXED_TIME_H
#define STATS_FIXED_TIME_H

#include "session.h"

#include <jansson.h>
#include <stdbool.h>

// Whether a command (an array of words) says so by its program and options. *adapter is the
// --metric that shows what the program gets done, such as "@wrk"; NULL: there is none.
bool fixed_time_by_options(const json_t *command, const char **adapter);

// The same of the variant that the condition is of.
bool fixed_time_of_condition(const struct session *session, size_t condition, const char **adapter);

// Adds `fixed_time` to each condition, slowdown and comparison of the summary: {why, adapter,
// cpu_ratio, text}, null where the time is not fixed or the figure is not a time. why is
// "options", or "cpu-time": beside a load it took as long as alone and had less CPU time. Appends a
// warning for each ratio that decides by such a time.
void fixed_time_add(struct session *session, json_t *summary);

#endif
