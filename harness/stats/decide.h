// What to do next: one more run, of which condition, or stop, and why.
#ifndef STATS_DECIDE_H
#define STATS_DECIDE_H

#include "session.h"

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

// From the error so far: the width shrinks with t / sqrt(n) as long as the
// spread stays what it is; with a gate, until the verdict. All conditions' runs together, at
// least the rest of the block and the rest up to min_runs, at most the rest up to max_runs; -1
// before there are three blocks.
long forecast_runs(struct session *session, double worst_error);

#endif
