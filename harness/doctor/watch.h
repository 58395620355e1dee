#ifndef DOCTOR_WATCH_H
#define DOCTOR_WATCH_H

/* What happens on the machine within a second. */

#include "common/machine.h"

struct watch {
    int64_t time_us;               /* between the two readings */
    struct counters before, after; /* the kernel's counters */
    double queue;                  /* mean number of tasks that ran or waited, without us */
    int64_t *cpu_busy_us;          /* of each CPU, by its number */
    size_t cpus;
    char culprit[128]; /* the process that used most CPU time; "" when none stood out */
};

/* Takes a second. False after a message: out of memory. */
bool watch_machine(struct watch *watch);
void watch_free(struct watch *watch);
/* By how much a counter has grown; UNKNOWN where it is not known. */
int64_t watch_grown(int64_t before, int64_t after);

#endif
