// What a load reaches without a limit: measured by measure.c for calibrate.c.
#ifndef LOADGEN_MEASURE_H
#define LOADGEN_MEASURE_H

#include "frame.h"

#define MEASURE_LONGEST_NS   86400000000000
#define MEASURE_MOST_SAMPLES (MEASURE_LONGEST_NS / 1000000000)

// Have they reached a steady state? By the slope of a straight line through them, as fio's
// steadystate=iops_slope / bw_slope does. fio leaves its limit to the user. This one, in percent of
// the mean for each second, is 10 % over a window of ten: what SNIA's performance test allows.
#define STEADY_SLOPE_LIMIT 1.0

struct measured {
    int64_t length_ns;
    double rates[MEASURE_MOST_SAMPLES];
    double mean, sd; // of them; sd of a sample
    double minimum, maximum;
    double slope;           // least squares, percent of the mean a second
    bool steady;            // |slope| < STEADY_SLOPE_LIMIT
    double rate;            // base units a second over all of it
    double foreign;         // share of the machine's CPUs that others used; NAN: unknown
    struct snapshot window; // all figures of that time
    struct snapshot first, before, now;
    // Objects of the load's own fields, of `ready` and of `summary`, while it ran.
    struct line ready, summary;
};

// Drives the engine from start to stop for measured->length_ns, after a ramp of a fifth of it
// (1 s at most). What the load's prepare() made is the caller's to clean up. False, after it has
// said what went wrong.
bool measure(struct run *run, struct measured *measured);

#endif
