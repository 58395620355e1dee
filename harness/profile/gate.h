// The gate: is this machine quiet enough for a figure at all? From the noise of profiles, before
// any prediction is shown.
#ifndef PROFILE_GATE_H
#define PROFILE_GATE_H

#include <stdbool.h>
#include <stddef.h>

// Half-width, as a share, within which a slowdown is to be told; runs a side (alone, beside the
// neighbour) that one is ready to spend on it: what they buy at a standard deviation of 4 %.
// Of fewer runs alone than the least, no noise is known.
#define GATE_HALF_WIDTH 0.02
enum { GATE_RUNS = 31, GATE_LEAST_RUNS = 5, GATE_TEXT = 200 };

struct gate {
    bool passed;
    double sd;            // of log(wall time), alone; NAN: not known
    double half_width;    // that GATE_RUNS runs a side reach, at 95 %, as a share
    double wanted;        // half-width that would do
    double runs_needed;   // a side, for that; NAN: not known
    char text[GATE_TEXT]; // "alone-sd 15 %, it would take 430 runs a side for ..."; in any case
};

// Runs a side for a half-width of a ratio of two means, as a share, at 95 %:
// 2 (1.96 sd / half_width)^2, which takes no credit for runs that are neighbours in time.
double gate_runs(double sd, double half_width);

// sd of log(wall time) alone from n runs
// (NAN: none). effect: the slowdown - 1 to be told; 0 where it is not known. The gate is
// passed where GATE_RUNS runs a side give GATE_HALF_WIDTH, or a quarter of the effect, if that
// is more: a slowdown of 2 can be told on a machine where one of 1.03 cannot.
struct gate profile_gate_judge(double sd, size_t n, double effect);

#endif
