#ifndef DOCTOR_NOISE_H
#define DOCTOR_NOISE_H

#include "common/machine.h"
#include "findings.h"
#include <jansson.h>
#include <stdint.h>

/* The noise floor of a machine: the same work again and again, by how much do its
 * times differ? meter runs it, the functions of stats judge it. */

/* Works for so long, in rounds of fixed work for CPU, memory and the disk of the
 * current folder. Returns `noise_floor` of jostle.doctor/1, a member for each kind
 * that can be done here; NULL after a message. */
json_t *noise_measure(int64_t time_ns);
/* A finding for each kind. */
void check_noise(struct findings *findings, const json_t *noise);

/* What happens on the machine within a second. */

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
