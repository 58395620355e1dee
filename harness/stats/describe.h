#ifndef STATS_DESCRIBE_H
#define STATS_DESCRIBE_H

#include "interval.h"
#include "messages.h"
#include "session.h"
#include "settings.h"

// What was seen, in numbers: the details of the warnings about odd values.

// Adds to a message whose flag is below ODDITIES, and was found for that
// condition and metric, its details and the runs that it is about.
void describe_oddity(struct session *session, size_t condition, size_t metric,
                     struct message *message);

// What a comparison of variants says, in words for people.

// relation_is_time() of a metric.
bool words_is_time(const struct metric_setting *metric);

// What is compared, by name; load: NULL for alone.
struct words_of {
    const struct metric_setting *metric;
    const char *variant, *reference, *load;
};

// Such as "new is 4 % [2, 6] faster alone", "new is 1 % [-1, 3] slower beside mem-50, by
// p99_ms", "new: throughput 3 % [1, 5] higher alone (better)", "new takes 2.3 [2.1, 2.5] times
// as long as old alone"; for `same` "new is the same as old alone, within 2 %: ...". `ratio`: above
// 1 is worse. To be freed; NULL where there is no ratio, or no memory.
char *words_comparison(const struct words_of *of, const struct interval *ratio, double same_within);

// Such as "mem-50 changes how new compares with old: 1.05 [1.02, 1.08] times the ratio alone".
char *words_interaction(const struct words_of *of, const struct interval *ratio);

#endif
