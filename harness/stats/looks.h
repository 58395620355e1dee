// Looks: how sure each of several looks at a growing experiment must be, for all of them
// together to be wrong no more often than one look may be.
#ifndef STATS_LOOKS_H
#define STATS_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

// The plan: a look after each block from the `from`-th to the `to`-th.
struct looks {
    size_t from, to;
};

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
double looks_rate(const struct looks *looks, double error_rate, size_t n);

// Whether the looks after a and after b blocks have the same rate.
bool looks_alike(const struct looks *looks, size_t a, size_t b);

#endif
