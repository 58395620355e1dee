// What the interval of a ratio says of the two that it compares.
#ifndef STATS_RELATION_H
#define STATS_RELATION_H

#include "interval.h"

#include <stdbool.h>

// Relations: what the interval of a ratio says of the two that it compares.

enum relation { RELATION_UNDECIDED, RELATION_BETTER, RELATION_WORSE, RELATION_SAME, RELATIONS };

// Whether a figure of that unit is a time of which less is better, so that one speaks of faster
// and slower.
bool relation_is_time(const char *unit, bool higher_is_better);

// In the words of times, and of figures that are none (`is_time`).
const char *relation_name(enum relation relation, bool is_time);

// Of a ratio of which more than 1 is worse. `same`: the whole interval is within
// [1 / (1 + tolerance), 1 + tolerance]; it is the result of two one-sided tests
// (D. J. Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657-680), each at half the
// interval's error rate. It comes before `better` and `worse`: a difference that is known
// to be so small is none. A tolerance of 0: nothing is called the same, not even what has no
// variation.
enum relation relation_of(const struct interval *ratio, double tolerance);

#endif
