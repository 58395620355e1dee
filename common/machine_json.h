#ifndef COMMON_MACHINE_JSON_H
#define COMMON_MACHINE_JSON_H

#include "common/counters.h"
#include "record_json.h"

// The machine in the records of the harness. Each function returns a new
// reference, or NULL when memory runs out.

// `before`, `after` of an experiment; with who else is on the node, where
// JOSTLE_JOB_NEIGHBOURS says so (lines "job<TAB>ID", "cpus_allocated<TAB>N",
// "cpus_ours<TAB>N").
json_t *counters_to_json(const struct counters *counters);
// `environment`; load averages are those of the counters, and `job` is made of
// JOSTLE_JOB_FACTS (lines "NAME<TAB>VALUE"), null where that is empty. The folder is the current
// one, the device what that is on.
json_t *environment_to_json(const struct counters *counters);
// That of now.
json_t *environment_now(void);

// How the machine is set up, as far as that moves figures: what jostle doctor judges,
// and what experiment.json records.

enum fact {
    FACT_GOVERNOR, // frequency governors of all CPUs, each once
    FACT_TURBO,    // on, off
    FACT_SMT,      // on, off: whether CPUs share a core
    FACT_ISOLATED, // CPUs that the scheduler leaves alone; "none"
    FACT_CLOCKSOURCE,
    FACT_THP,            // transparent huge pages: always, madvise, never
    FACT_ASLR,           // randomize_va_space: 0 to 2
    FACT_SWAPPINESS,     // 0 to 200
    FACT_AUTOGROUP,      // sched_autogroup_enabled: 1: the CPUs are shared among sessions
    FACT_NUMA_NODES,     // how many memory nodes
    FACT_NUMA_BALANCING, // 0: pages stay where they are
    FACT_PERF_PARANOID,  // perf_event_paranoid
    FACT_MICROCODE,
    FACT_MITIGATIONS, // what the kernel does about each flaw of the CPU: no text, see below
    FACTS
};

// The name that records have for it.
extern const char *const fact_names[FACTS];

// Into text. False, and "": this machine does not show it, or it is no text.
bool fact_read(enum fact fact, char *text, size_t size);

// Its value as a whole number; UNKNOWN (common/machine.h) where it is none.
long long fact_number(enum fact fact);

#endif
