#ifndef COMMON_FACTS_H
#define COMMON_FACTS_H

/* How the machine is set up, as far as that moves figures: what jostle doctor judges,
 * and what experiment.json records. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum fact {
    FACT_GOVERNOR, /* frequency governors of all CPUs, each once */
    FACT_TURBO,    /* on, off */
    FACT_SMT,      /* on, off: whether CPUs share a core */
    FACT_ISOLATED, /* CPUs that the scheduler leaves alone; "none" */
    FACT_CLOCKSOURCE,
    FACT_THP,            /* transparent huge pages: always, madvise, never */
    FACT_ASLR,           /* randomize_va_space: 0 to 2 */
    FACT_SWAPPINESS,     /* 0 to 200 */
    FACT_AUTOGROUP,      /* sched_autogroup_enabled: 1: the CPUs are shared among sessions */
    FACT_NUMA_NODES,     /* how many memory nodes */
    FACT_NUMA_BALANCING, /* 0: pages stay where they are */
    FACT_PERF_PARANOID,  /* perf_event_paranoid */
    FACT_MICROCODE,
    FACT_MITIGATIONS, /* what the kernel does about each flaw of the CPU: no text, see below */
    FACTS
};

/* The name that records have for it. */
extern const char *const fact_names[FACTS];

/* Into text. False, and "": this machine does not show it, or it is no text. */
bool fact_read(enum fact fact, char *text, size_t size);

/* Its value as a whole number; UNKNOWN (common/machine.h) where it is none. */
long long fact_number(enum fact fact);

/* All of them, by name: a number where it is one, `mitigations` an object of texts, null
 * where it is not shown. A new reference. */
json_t *facts_to_json(void);

#endif
