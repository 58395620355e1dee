// What programs that share CPUs take from each other: the scheduler's fair share, without a fit.
//
// Each program is a loop of computing and waiting. Those that compute share the CPUs equally, as
// CFS and EEVDF have it among equal weights: a closed queueing network with one
// processor-sharing station, whose solution is a product (F. Baskett et al., "Open, closed, and
// mixed networks of queues with different classes of customers", J. ACM 22 (1975) 248-260). For
// two programs on one CPU it is 1 + a b: B is met computing for the share b of A's computing
// time a. Who computes in bursts that are short beside a time slice is served at once instead, as
// the scheduler owes it time: shares then even out over the whole time (max-min fairness). What
// this leaves out: programs that wait and compute in step with each other, whose phases meet more
// often (or less) than by chance.
#ifndef PREDICT_FAIR_H
#define PREDICT_FAIR_H

#include <stdbool.h>
#include <stddef.h>

enum { FAIR_TASKS = 256 };

struct fair_program {
    double cpus;    // CPU time / wall time, alone on these CPUs
    double threads; // that compute at a time; NAN, or too few for `cpus`: as many as it needs
    double burst_s; // CPU time from one wait to the next; NAN: long
};

// Time of program[0] beside all others / alone, when all run on the same `capacity` CPUs; 1
// where capacity is 0 (each has CPUs of its own). NAN: a demand is not known, or there are
// more than FAIR_TASKS tasks.
double fair_slowdown(const struct fair_program *program, size_t count, size_t capacity);

// The same beside a load that keeps its rate whatever it meets, up to its fair share: it asks
// for `load_cpus` of `capacity` CPUs, with a thread on each.
double fair_slowdown_by_load(struct fair_program program, double load_cpus, size_t capacity);

#endif
