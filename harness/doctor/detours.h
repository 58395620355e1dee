#ifndef DOCTOR_DETOURS_H
#define DOCTOR_DETOURS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* OS noise: what the kernel and others take of each allowed CPU while a thread on it does nothing
 * but read the clock. A gap between two readings of more than a microsecond is a detour (the
 * selfish benchmark of Beckman et al., Cluster 2006; the cost for N ranks as in Hoefler et al., SC
 * 2010). */

/* Measures for so long on all CPUs at once. A jostle.os-noise/1, a new reference; NULL after a
 * message. */
json_t *detours_measure(int64_t time_ns);

/* It in words. False: stdout cannot be written. */
bool detours_print(const json_t *noise);

#endif
