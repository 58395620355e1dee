// Carry-over: what a loaded run leaves behind for the run that follows it, such as an
// evicted page cache, dirty pages, or heat.
#ifndef STATS_CARRY_OVER_H
#define STATS_CARRY_OVER_H

#include "session.h"

struct carry_over {
    double ratio, low, high; // how many times as long the baseline takes after such a run
    double p;                // two-sided, of a ratio of 1; NAN: too few runs to test
    size_t after, others;    // baseline runs that directly follow one, or an unloaded run
};

// Compares the unloaded runs that directly follow a run under the load of `condition` with
// those that follow an unloaded one. Washout runs in between do not count: what is left after
// them is what matters. The very first run, which follows nothing, is in neither.
//
// An analysis of covariance of the logarithms, with a linear trend over `order` and a
// level for each predecessor (variants are compared as deviations from their own levels): drift
// cancels, and a single outlier, which widens the common variance, raises no alarm. The order of
// the runs was drawn at random, hence a machine that wanders by itself cannot imitate the
// difference, either.
struct carry_over carry_over_estimate(struct session *session, size_t condition, size_t metric);

// Whether a load's carry-over into the baseline shows, and is worth a word.
bool carry_over_shows(struct session *session, size_t condition, size_t metric);

// Whether --washout auto has grown as far as it does: what fades so slowly may not be
// gone, and runs that follow each other then hardly differ.
bool carry_over_is_slow(const struct session *session);

// With --washout auto: whether the runs hint at a carry-over without showing it, so that a
// few more should be made.
bool carry_over_is_suspect(struct session *session);

// How many washout runs the runs so far call for, with --washout auto. `ends`: the
// experiment would end here. To be called where all blocks are complete.
size_t carry_over_washout(struct session *session, bool ends);

#endif
