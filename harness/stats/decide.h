#ifndef STATS_DECIDE_H
#define STATS_DECIDE_H

#include "carry_over.h"
#include "interval.h"
#include "session.h"

#include <jansson.h>

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

// The gate: is a ratio below or above a limit, or one of "better", "worse" and "the same",
// at a stated error rate, however often one has looked? What a result says of it is below.

// Whether a condition's ratio is one that decides: a variant's to the first under the same
// load; of a single program a load's to the baseline. `aa` is no load.
bool gate_decides(const struct settings *settings, size_t condition);

// Of all ratios of the experiment that are judged, by their intervals alone: what ends it.
enum verdict gate_verdict(struct session *session);

// Whether two variants, under a load or alone, are the same, or one is better.
enum relation gate_relation(struct session *session, struct ratio of);

// Whether the gate knows all that it has to: that --at-most is broken; or that it is kept,
// if given, and where asked of each ratio whether it is better, worse or the same.
bool gate_is_decided(struct session *session);

// How far a bound may be from the ratio for the gate to know what it asks: on which side of
// the limit it is, and whether it is away from 1, or near it on both sides.
double gate_gap(const struct settings *settings, const struct interval *ratio);

// What the gate says in a result: of each ratio that it judges, of each condition, and of the
// experiment, and which problems leave it undecided.

// Adds that to a summary which has all its warnings: a gate never passes beside a problem that
// biases what it judges.
void verdicts_add(struct session *session, json_t *summary);

// Adds to `gate` of such a summary, where it is undecided and no problem is the reason, which limit
// ended it, how many runs would decide, and a metric by which at most half as many would.
void undecided_add(struct session *session, json_t *summary);

// The gate's word in a summary, "" without a gate: of --at-most its verdict; without that
// `decided` or `undecided`; of --until as of --at-most.
const char *verdicts_word(const json_t *summary);

// Two experiments side by side: two versions, two nodes, two days.

// One of the two: a metric has an index of its own in each session.
struct compared {
    struct session *session;
    size_t condition, metric;
};

// How many times as bad as a's figure b's is: b/a, or a/b where higher is better; with the
// confidence of `critical`. The sessions share
// no block, so these are independent, and each is judged by its own settings. NAN, with
// an infinite error, where one has fewer than two runs, or runs that timed out, or the
// two are of different statistics.
struct interval compare_ratio(struct critical *critical, const struct compared *a,
                              const struct compared *b);

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

// jostle capacity: the highest rate (or whatever --vary varies) at which runs keep the
// objectives of --slo, alone and under each load.
//
// Each run of a condition has a rate of its own, chosen from what the condition's runs before
// it have shown (capacity.c); the conditions are interleaved in blocks as always. Capacity is
// where half of the runs keep the objectives, apart from the few that would fail at any rate.

// Where the range of --vary has no answer.
enum capacity_bound {
    CAPACITY_INSIDE,
    CAPACITY_BELOW,    // not even LOW keeps the objectives
    CAPACITY_AT_LEAST, // even HIGH keeps them
};

struct capacity {
    double value, low, high; // with the interval at the experiment's confidence
    double error;            // half its width / value; 0: known to the integer, or outside
    enum capacity_bound bound;
    bool is_sure;                 // of the bound, at that confidence
    size_t runs, kept, timed_out; // used runs, and how many of them kept, or ran into --timeout
};

struct capacity capacity_of(struct session *session, size_t condition);

// The largest error of all conditions, INFINITY where there is none that is below 1.
double capacity_error(struct session *session);

// The value of that condition's next run.
double capacity_next(struct session *session, size_t condition, size_t block);

// How many runs of all conditions will still be made; -1: not known yet.
long capacity_forecast(struct session *session, double error);

// The capacity of a condition over that of another; NAN where one is not inside the range.
struct interval capacity_ratio(struct session *session, size_t condition, size_t reference);

#endif
