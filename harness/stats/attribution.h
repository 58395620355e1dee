// Where the extra time of a slowdown went, from the runs' own records.
//
// Between the target alone and the target under a load, wall time grows by two
// things: the target's own CPU time may grow (slower execution: caches, memory
// bandwidth, clock, a shared core), and the time in which it is off the CPU. The
// records show the two apart exactly for a target with one thread; for several,
// CPU time is divided by the number of CPUs that the target keeps busy alone.
//
// The time off the CPU is shared out by what the kernel counted (steal, pressure
// stalls). Those figures are the whole machine's, so a load's own stalls are among
// them: they bound what the target can have waited, and where they allow more
// than there is, the shares are proportional and marked as ambiguous.
#ifndef STATS_ATTRIBUTION_H
#define STATS_ATTRIBUTION_H

#include <jansson.h>

// A slowdown of the wall time: its name, how many times as long it took, and the
// used records (arrays) of the reference and of the condition; CPUs of the machine.
struct attribution_case {
    const char *condition;
    double ratio;
    const json_t *before, *after;
    double cpus;
};

// A new reference to the attribution object, or to null where there is none: the
// records have no CPU times, or no time is extra.
json_t *attribution_of(const struct attribution_case *slowdown);

#endif
