#ifndef BLAME_GATE_H
#define BLAME_GATE_H

/* --at-most: does anybody else take more than that share? Each fact is a mean of slices of the
 * time, with its error: what no slice contradicts is sure. */

#include "harness/blame/verdict.h"

enum gate_fact {
    GATE_OTHERS, /* of the CPUs, what others use */
    GATE_CPU,    /* of the time, some task waits for a CPU, memory, a disk */
    GATE_MEMORY,
    GATE_DISK,
    GATE_STEAL,
    GATE_GAP,    /* of a short spin, what it did not get */
    GATE_WAITED, /* of its time, what the victim waited for CPUs behind others */
    GATE_FACTS,
};

enum gate_state { GATE_BELOW, GATE_ABOVE, GATE_UNDECIDED };

struct gate {
    bool of_victim;
    struct look look; /* at the end of the last slice */
    struct {
        double n, sum, squares;
    } fact[GATE_FACTS];
};

/* One more slice of the time, until now. */
void gate_slice(struct gate *gate, const struct look *now);
/* The share, and its error (95 %); false: not known, or no part of this gate. */
bool gate_share(const struct gate *gate, enum gate_fact fact, double *share, double *error);
const char *gate_fact_name(enum gate_fact fact);
const char *gate_fact_text(enum gate_fact fact);
/* Which it is; *worst: the fact that decides. verdict: of the victim. */
enum gate_state gate_judge(struct gate *gate, const struct verdict *verdict, double at_most,
                           enum gate_fact *worst);
const char *gate_state_name(enum gate_state state);

#endif
