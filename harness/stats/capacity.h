// jostle capacity: the highest rate at which runs keep the objectives.
#ifndef STATS_CAPACITY_H
#define STATS_CAPACITY_H

#include "interval.h"
#include "session.h"

#include <stdbool.h>
#include <stddef.h>

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
