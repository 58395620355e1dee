// The p value of a ratio.
#ifndef STATS_SIGNIFICANCE_H
#define STATS_SIGNIFICANCE_H

#include "session.h"

// Two-sided p of "the ratio is 1": the smallest 1 - confidence at which the
// ratio's interval leaves 1 out, so that p and interval never contradict each
// other, whatever corrections the interval has. At least SIGNIFICANCE_LEAST;
// NAN where there is no interval, or one without a width.
double significance_p(struct session *session, size_t condition, enum against against,
                      size_t metric);

// The same of any ratio: `interval` gives it at the confidence 1 - p.
double significance_of(struct interval (*interval)(const void *user, double p), const void *user);

// Smaller ones say no more: the tails of real runs are not known that far out.
#define SIGNIFICANCE_LEAST 1e-12

#endif
