// Where the extra time of a slowdown went, from the runs' own records.
//
// Between the target alone and the target under a load, wall time grows by two
// things: the target's own CPU time may grow (slower execution: caches, memory
// bandwidth, clock, a shared core; or more instructions: threads that spin), and
// the time in which it is off the CPU. The records show the two apart exactly for
// a target with one thread; for several, CPU time is divided by the number of CPUs
// that the target keeps busy alone.
//
// The time off the CPU is explained by the target's own stalls, as far as these go,
// and by no others: those of the machine include a load's own, so they are an upper
// bound, and given as one. What is left is unexplained: a target that is off the CPU
// may wait for a CPU or a disk, but also for a lock, a timer, the network.
#ifndef STATS_ATTRIBUTION_H
#define STATS_ATTRIBUTION_H

#include "interval.h"

#include <jansson.h>

// A slowdown of the wall time: its name, its statistic where that is not the mean
// (else NULL), and the used records of the reference and of the condition, two arrays
// in which those at the same place are of one block; CPUs of the machine.
struct attribution_case {
    const char *condition, *statistic;
    const json_t *before, *after;
    double cpus;
    struct critical *critical;
};

// A new reference to the attribution object, or to null where there is none: the
// records have no CPU times, or no time is extra.
json_t *attribution_of(const struct attribution_case *slowdown);

#endif
