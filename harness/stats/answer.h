// The two answers about a ratio: what typically happens, and what seldom does.
#ifndef STATS_ANSWER_H
#define STATS_ANSWER_H

#include "session.h"

#include <jansson.h>

// Adds to the record of a ratio, whatever its own statistic is:
// - typical, mean: {ratio, ci: [low, high]}; of the mean a bound is null that the runs cannot tell
//   (stragglers.h)
// - stragglers: of the condition and of its reference {runs, of, share: [low, high], times,
//   needed}; p: that as uneven a share is chance
// - answer: both in words, "Beside half it takes 1.50 times as long (1.46 to 1.54). Besides, 1 run
//   in 10 (1 in 30 to 1 in 4) takes 10 times as long, none alone: on average 2.4 times."; seldom:
//   the second sentence alone, null where no run straggles.
void answer_add(struct session *session, size_t condition, enum against against, size_t metric,
                json_t *record);

// relation_is_time() of a metric.
bool words_is_time(const struct metric_setting *metric);

// What a comparison of variants is of, by name; load: NULL for alone.
struct words_of {
    const struct metric_setting *metric;
    const char *variant, *reference, *load;
};

struct words_of words_of(const struct settings *settings, size_t condition, size_t metric);

// Such as "new is 4 % [2, 6] faster alone", "new is 1 % [-1, 3] slower beside mem-50, by
// p99_ms", "new: throughput 3 % [1, 5] higher alone (better)", "new takes 2.3 [2.1, 2.5] times
// as long as old alone"; for `same` "new is the same as old within 2 %: ...". `ratio`: above
// 1 is worse. null where there is no ratio.
json_t *words_comparison(const struct settings *settings, size_t condition, size_t metric,
                         const struct interval *ratio);

// Such as "mem-50 changes how new compares with old: 1.05 [1.02, 1.08] times the ratio alone".
json_t *words_interaction(const struct settings *settings, size_t condition, size_t metric,
                          const struct interval *ratio);

// Adds to a record of a ratio how people say it: unit, better, of_reference, of_reference_ci, and
// text about the plain quotient: "throughput 0.74 [0.71, 0.78] of alone", "wall_s 1.38 [1.30, 1.45]
// times alone", null where there is no ratio. `reference`: what it is compared with, "alone" for
// the baseline.
void answer_direction(const struct metric_setting *metric, const struct interval *ratio,
                      const char *reference, json_t *object);

#endif
