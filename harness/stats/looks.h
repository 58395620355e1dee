// How the error rate of an experiment is shared out among the looks at it.
#ifndef STATS_LOOKS_H
#define STATS_LOOKS_H

#include "harness/record/settings.h"

// The error rate (two-sided) of the look after n blocks. Whoever looks after any blocks
// and as often as they like is wrong with probability `error_rate` at most, when each look
// inverts a test of its own rate: 90 % of the error rate is for the planned looks, 5 % for
// earlier ones (an experiment that a cap or a signal ends), 5 % for later ones (one that is
// continued beyond its plan). A single planned look has all of the 90 %.
//
// Planned looks have one and the same rate (S. J. Pocock, Biometrika 64 (1977) 191-199), and
// a t test takes it for its own degrees of freedom (C. Jennison and B. W. Turnbull, "Group
// Sequential Methods" (2000), section 4.4). It comes from D. Siegmund's approximation of
// the probability that a random walk crosses b sqrt(n) ("Sequential Analysis" (1985),
// chapter 4), of which the part for crossing after the first look is larger by a factor
// that was found with simulated t tests.
//
// Where time ends the experiment, most of the looks come early and most of what is seen late, so
// the bound is one that falls with the share of the plan that is over (S. K. Wang and A. A.
// Tsiatis, Biometrics 43 (1987) 193-199), up to a most.
double looks_rate(const struct looks *looks, double error_rate, size_t n);

// Whether the looks after a and after b blocks have the same rate.
bool looks_alike(const struct looks *looks, size_t a, size_t b);

// The plan of an experiment that time ends, `blocks` of which took `spent_s`: where it has no end
// in time, or neither is known, `looks` itself.
struct looks looks_in_time(const struct looks *looks, size_t blocks, double spent_s);

#endif
