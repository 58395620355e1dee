// The second level of repetition: several sessions of one experiment.
#ifndef STATS_LEVELS_H
#define STATS_LEVELS_H

#include "interval.h"

#include <stddef.h>

// The second level of repetition: several sessions of one experiment.
//
// What is decided once for a session (placement in memory, the day, the node, the build) is
// in none of its runs' spread. So the sessions are what is repeated at random, and the
// interval of a figure over sessions is that of their means, however many runs each has:
// T. Kalibera and R. Jones, "Rigorous benchmarking in reasonable time", ISMM 2013,
// and "Quantifying performance changes with effect size confidence intervals",
// University of Kent, TR 4-12 (2012).

struct level_session {
    double base, loaded; // the figure of its baseline, and of its runs under load
    double error;        // standard error of loaded / base, by its own runs; NAN: not known
    size_t runs;         // pairs that it has of them
};

struct levels {
    struct interval ratio; // by Fieller, over the sessions; no bounds of fewer than two
    double p;              // two-sided, of the paired t test that the ratio inverts
    double between;        // standard deviation of the true ratio from session to session,
                           // over the ratio: what the runs do not explain; 0: they do
    double within;         // and of a single pair's ratio within a session; both NAN: not known
};

// At the confidence of `critical`.
struct levels levels_estimate(struct critical *critical, const struct level_session *session,
                              size_t count);

#endif
