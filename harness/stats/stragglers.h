// Stragglers: single runs that take far longer than their condition does otherwise; how many there
// are, alone and under load, and what they add to a mean. The typical ratio leaves them out.
#ifndef STATS_STRAGGLERS_H
#define STATS_STRAGGLERS_H

#include "session.h"

// Of the runs of one condition.
struct stragglers {
    size_t count, runs;
    double limit;     // a run is one from this value on, or down to it where higher is better; NAN:
                      // none is
    double times;     // how many times the median is worse in the middle one of them; NAN: none
    double low, high; // the share of all runs that they are, with the session's confidence: exact
                      // (C. J. Clopper and E. S. Pearson, Biometrika 26 (1934) 404-413)
};

// The runs that shape_outliers() finds on the side that is worse, where they are worse by a
// quarter of the median at least.
struct stragglers stragglers_of(const struct session *session, size_t condition, size_t metric);

// The probability of blocks in which either the condition or its reference straggled as unevenly
// as they do here, had the load no part in it: exact, two-sided (Q. McNemar, Psychometrika 12
// (1947) 153-157). 1 where there are none.
double stragglers_p(const struct session *session, size_t condition, enum against against,
                    size_t metric);

// The ratio of the means, with bounds that stragglers do not spoil: to cut the condition's own to
// the longest of the other runs only lowers its mean, so that the ratio is at least the lower bound
// without them; those that were not seen may raise it by any amount, so that it has no upper bound
// (NAN) before so many were seen that they show what they add (STRAGGLERS_KNOWN). Of the
// reference's it is the other way round. Without the pairs it has no bounds at all.
struct interval stragglers_mean(struct session *session, size_t condition, enum against against,
                                size_t metric);

// So many show how long they are and how often they come.
enum { STRAGGLERS_KNOWN = 10 };

// About how many runs would have so many; 0: there are none, or enough.
size_t stragglers_needed(const struct stragglers *stragglers);

#endif
