// Which machine a reference or a profile is of.
#ifndef PRESSURE_IDENTITY_H
#define PRESSURE_IDENTITY_H

#include "common/kept.h"
#include "common/sha256.h"

#include <jansson.h>

enum { IDENTITY_DIGITS = SHA256_DIGITS };

// The SHA-256 of what has to be the same for levels to mean the same: host, architecture, CPU,
// how many CPUs are online, SMT, NUMA nodes, memory (in GiB, as the kernel's share of it varies
// from boot to boot), by `environment` of an experiment.json.
void identity_of(const json_t *environment, char digits[IDENTITY_DIGITS + 1]);

#endif
