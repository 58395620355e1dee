// What to do next: one more run, of which condition, or stop, and why.
#ifndef STATS_DECIDE_H
#define STATS_DECIDE_H

#include "carry_over.h"
#include "session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// What to do next: one more run, of which condition, or stop, and why.

// What comes before a run that follows one of another, loaded condition.
enum washout_step { WASHOUT_NONE, WASHOUT_RUN, WASHOUT_PAUSE };

struct decision {
    enum stop_reason stop; // STOP_NOT: run
    size_t condition, block, order;
    double worst_error;        // NAN: not known yet
    size_t washed;             // washout runs after each loaded run, from this one on
    enum washout_step washout; // what comes before this one
    double value;              // of --vary; course.c fills it in; NAN: nothing is varied
    long more;                 // runs, of all conditions together; -1: not known yet
};

struct decision decide(struct session *session);

// The largest error of what decides: of the slowdowns, or of a lone condition's
// mean. NAN before there are two complete blocks.
double decide_error(struct session *session);

// Why the experiment would stop here, STOP_NOT if it continues.
enum stop_reason decide_stop(struct session *session);

// Adds to `gate` of such a summary, where it is undecided and no problem is the reason, which limit
// ended it, how many runs would decide, and a metric by which at most half as many would.
void undecided_add(struct session *session, json_t *summary);

// Compares the unloaded runs that directly follow a run under the load of `condition` with
// those that follow an unloaded one. Washout runs in between do not count: what is left after
// them is what matters. The very first run, which follows nothing, is in neither.
//
// An analysis of covariance of the logarithms, with a linear trend over `order` and a
// level for each predecessor (variants are compared as deviations from their own levels): drift
// cancels, and a single outlier, which widens the common variance, raises no alarm. The order of
// the runs was drawn at random, hence a machine that wanders by itself cannot imitate the
// difference, either.
//
// Where a service is started anew for each block its first runs may be slow or quick whatever came
// before, and runs of the baseline that follow an unloaded one are always first: starts.h.
struct carry_over carry_over_estimate(struct session *session, size_t condition, size_t metric);

// Whether a load's carry-over into the baseline shows, and is worth a word.
bool carry_over_shows(struct session *session, size_t condition, size_t metric);

// Whether --washout auto has grown as far as it does: what fades so slowly may not be
// gone, and runs that follow each other then hardly differ.
bool carry_over_is_slow(const struct session *session);

#endif
