#ifndef LOADGEN_CPU_TRACK_H
#define LOADGEN_CPU_TRACK_H

/* One core's recorded load as a function of time: how much CPU time a worker should
 * have used, and the inverse. */

#include "cpu/profile.h"

/* Demand as CPU time since the start; repeats from its beginning at its end. */
struct track {
    size_t spans;
    double *end_ns;  /* wall clock, rising */
    double *used_ns; /* CPU time up to then */
};

/* The mean of the loads of cores first to last, at a speed (2: in half of the
 * time). 0, or -1 when out of memory. */
int track_make(struct track *track, const struct profile *profile, unsigned first, unsigned last,
               double speed);
void track_free(struct track *track);
/* CPU time in ns that should have been used after_ns from the start. */
double track_demand(const struct track *track, double after_ns);
/* When that much is reached: the inverse. INFINITY: never. */
double track_when(const struct track *track, double used_ns);

#endif
