/* How long a bench takes, and what --quick leaves for each cell. */
#ifndef BENCH_FORECAST_H
#define BENCH_FORECAST_H

#include <jansson.h>

/* Seconds in which --quick ends, start and table included. */
enum { QUICK_S = 300 };

/* Puts `least_s` and `most_s` into each cell of the plan and into the plan, from how long a
 * run and its set-up take and from how many runs there are; with --quick also `max_time_s`
 * into each cell, after which it starts no further run, unless --max-time says when. */
void forecast_set(json_t *plan);

/* Puts `cells`, `least_s` and `most_s` into a plan of which some cells may be gone. */
void forecast_sum(json_t *plan);

#endif
