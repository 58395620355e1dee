#ifndef BLAME_GATE_H
#define BLAME_GATE_H

#include "rows.h"

// How much slower the victim is, because of what: from counts and samples. Pure.

enum resource {
    RESOURCE_NONE,
    RESOURCE_CPU,
    RESOURCE_OWN, // CPUs, but behind its own threads
    RESOURCE_QUOTA,
    RESOURCE_HYPERVISOR,
    RESOURCE_DISK,
};

struct verdict {
    enum resource resource;
    double factor, low, high; // times as slow; of disks high alone is known, low is 1
    bool sampled;             // not exact: from samples
    bool at_least;            // threads have ended whose last waiting is not known
    double without_s;         // what the time would be without it
    // Of the time, 0 to 1:
    double ran, waited_others, waited_own, at_disk, quota, stolen;
    char text[512];
};

// --at-most: does anybody else take more than that share? Each fact is a mean of slices of the
// time, with its error: what no slice contradicts is sure.

enum gate_fact {
    GATE_OTHERS, // of the CPUs, what others use
    GATE_CPU,    // of the time, some task waits for a CPU, memory, a disk
    GATE_MEMORY,
    GATE_DISK,
    GATE_STEAL,
    GATE_GAP,    // of a short spin, what it did not get
    GATE_WAITED, // of its time, what the victim waited for CPUs behind others
    GATE_FACTS,
};

enum gate_state { GATE_BELOW, GATE_ABOVE, GATE_UNDECIDED };

struct gate {
    bool of_victim;
    struct look look; // at the end of the last slice
    struct {
        double n, sum, squares;
    } fact[GATE_FACTS];
};

// One more slice of the time, until now.
void gate_slice(struct gate *gate, const struct look *now);
// The share, and its error (95 %); false: not known, or no part of this gate.
bool gate_share(const struct gate *gate, enum gate_fact fact, double *share, double *error);
const char *gate_fact_name(enum gate_fact fact);
const char *gate_fact_text(enum gate_fact fact);
// Which it is; *worst: the fact that decides. verdict: of the victim.
enum gate_state gate_judge(struct gate *gate, const struct verdict *verdict, double at_most,
                           enum gate_fact *worst);
const char *gate_state_name(enum gate_state state);

// "cpu", as records have it.
const char *resource_name(enum resource resource);

void verdict_make(struct verdict *verdict, const struct victim *victim,
                  const struct sampler *sampler, const struct facts *facts,
                  const struct rows *rows);

#endif
