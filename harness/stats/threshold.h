// The rate at which a service no longer keeps an objective, from runs at several rates, each
// with the distance of its figure from the limit. A noisy root, searched adaptively.
//
// x is the logarithm of a rate, y that of figure / limit: y < 0 keeps the objective. Near
// the threshold theta a run has
//   y = curve(x - theta) + noise * logistic noise,    curve(0) = 0, slope `slope` at 0
// where the curve is a line, or the hyperbola by which an open queue's latency grows,
// 1 / (capacity - rate). Only runs with |y| < THRESHOLD_NEAR say more than whether they kept
// it: far above, latency grows with the run's length, and a run that timed out has no figure.
// They count by the probability to be above (below), as in a censored regression. A few runs
// fail at any rate (a hiccup of the machine), and fewer keep it at any.
//
// Theta, slope, noise and the curve's shape are unknown and have a posterior on a grid whose
// cells become narrow where the mass is. Priors: uniform in theta over the range and a factor 2
// beyond each end (so that "below" and "above" are answers, too), in log slope and log noise; each
// shape 1/2. All but theta is averaged over. Adaptive estimation of a threshold by such a
// posterior: A. B. Watson and D. G. Pelli, "QUEST: A Bayesian adaptive psychometric method",
// Percept. Psychophys. 33 (1983) 113-120; L. L. Kontsevich and C. W. Tyler, "Bayesian
// adaptive estimation of psychometric slope and threshold", Vision Res. 39 (1999) 2729-2737.
// Probabilistic bisection (R. Waeber, P. I. Frazier and S. G. Henderson, "Bisection search
// with noisy responses", SIAM J. Control Optim. 51 (2013) 2261-2279) has no magnitudes, and
// needs a known error rate of the answers, which near a threshold is one half. How often the
// intervals hold is found by simulation (bats-tests/simulate/capacity.c).
#ifndef STATS_THRESHOLD_H
#define STATS_THRESHOLD_H

#include <stddef.h>

struct trial {
    double x, y; // y may be INFINITY or -INFINITY
};

// Where x may be; low < high.
struct stimuli {
    double low, high;
};

#define THRESHOLD_NEAR 0.4 // a factor of 1.5

enum { THRESHOLD_CELLS = 44, THRESHOLD_SIDE = 6, THRESHOLD_SHAPES = 2 };
enum { THRESHOLD_ROW = THRESHOLD_SHAPES * THRESHOLD_SIDE * THRESHOLD_SIDE };

struct threshold {
    double edge[THRESHOLD_CELLS + 1]; // of theta: cell i is from edge i to the next
    double mass[THRESHOLD_CELLS];     // of theta alone; sums to 1
    double slope[THRESHOLD_SIDE], noise[THRESHOLD_SIDE];
    double joint[THRESHOLD_CELLS][THRESHOLD_ROW]; // of shape, slope, noise, in this order
};

// The posterior after those trials, of which there may be none.
void threshold_fit(struct threshold *threshold, const struct stimuli *range,
                   const struct trial *trials, size_t count);

// The theta below which lies that share of the posterior.
double threshold_quantile(const struct threshold *threshold, double share);

// How much of the posterior lies below that theta.
double threshold_below(const struct threshold *threshold, double theta);

// The x in the range whose run will keep the objective with that probability; an end of
// the range, if none has it.
double threshold_next(const struct threshold *threshold, const struct stimuli *range, double keeps);

// The quantile of theta of `a` minus theta of `b`, which are independent.
double threshold_difference(const struct threshold *a, const struct threshold *b, double share);

#endif
