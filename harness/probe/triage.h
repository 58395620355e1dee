#ifndef PROBE_TRIAGE_H
#define PROBE_TRIAGE_H

/* Who is to blame, as practitioners find it: pressure high and throttling low, a neighbour;
 * throttling high, one's own quota; steal high, the hypervisor. One table of verdicts, in
 * the order in which they are printed. Pure. */

#include "kernel.h"

#include <jansson.h>

enum verdict {
    VERDICT_QUOTA,      /* our own control group's */
    VERDICT_HYPERVISOR, /* steal */
    VERDICT_OWN,        /* other programs of our own session */
    VERDICT_CPU,        /* a neighbour's programs wait for CPUs, or make us wait */
    VERDICT_SWAP,
    VERDICT_MEMORY, /* the kernel reclaims memory */
    VERDICT_DISK,
    VERDICT_HEAT,
    VERDICT_HIDDEN, /* reporters are worse, and the kernel shows nobody */
    VERDICT_MISFIT, /* reporters are worse in a way that none of our loads makes */
    VERDICT_BLIND,  /* the kernel does not show what it would take */
    VERDICT_QUIET,
    VERDICTS,
};

struct triage_input {
    const struct kernel_facts *facts;
    bool has_levels;   /* there is a reference, and the readings could be turned into levels */
    const char *worst; /* the kind that is surely there with the highest level; NULL: none is */
    double worst_level;
    bool any;        /* a load is surely there, also where it cannot be told which */
    double misfit_p; /* of invert.h; 1: not known */
};

struct triage {
    size_t count;
    struct {
        enum verdict verdict;
        char text[384]; /* with the figures */
    } found[VERDICTS];
};

void triage_judge(const struct triage_input *input, struct triage *triage);
/* "quota", and what to do about it. */
const char *verdict_name(enum verdict verdict);
const char *verdict_advice(enum verdict verdict);
/* `verdicts` of a jostle.probe/1; a new reference, NULL: out of memory. */
json_t *triage_to_json(const struct triage *triage);

#endif
