#ifndef DOCTOR_NOISE_H
#define DOCTOR_NOISE_H

/* The noise floor of a machine: the same work again and again, by how much do its
 * times differ? meter runs it, stats judges it. */

#include "findings.h"

#include <jansson.h>
#include <stdint.h>

/* Works for so long, in rounds of fixed work for CPU, memory and the disk of the
 * current folder. Returns `noise_floor` of jostle.doctor/1, a member for each kind
 * that can be done here; NULL after a message. */
json_t *noise_measure(int64_t time_ns);
/* A finding for each kind. */
void check_noise(struct findings *findings, const json_t *noise);

#endif
