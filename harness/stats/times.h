// Where one run's time went, as far as its record says.
#ifndef STATS_TIMES_H
#define STATS_TIMES_H

#include "causes.h"

#include <jansson.h>
#include <stdbool.h>

// Who counted the stalls, from nothing to what is exact.
enum stall_source {
    SOURCE_NONE,
    SOURCE_MACHINE,   // pressure of the whole machine: an upper bound
    SOURCE_SCHEDSTAT, // run delay of the target's main thread: a lower bound, CPU alone
    SOURCE_CGROUP,    // pressure of the target's own group
};

// Seconds; NAN: the record does not say.
struct times {
    double wall_s;
    double cpu_s;             // user and system time of the whole tree
    double main_s;            // the CPU time of its main thread
    double main_delay_s;      // what that waited for a CPU, exact
    double own_s[CAUSES];     // what the target itself waited: CPU, MEMORY, IO, HOST
    double at_most_s[CAUSES]; // by the machine's figures: CPU, MEMORY, IO
    enum stall_source source;
    unsigned cpus; // that the target may use; 0: not known
};

// `cpus`: of the machine, where the record does not say.
struct times times_of(const json_t *record, double cpus);

#endif
