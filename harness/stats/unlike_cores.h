// Targets that ran on cores of unlike speed: big.LITTLE, P and E cores.
#ifndef STATS_UNLIKE_CORES_H
#define STATS_UNLIKE_CORES_H

#include "experiment.h"

// Appends a warning to `warnings` where the target's CPUs, as experiment.json has them, are of
// several kinds of cores. Records that do not have the kinds give none.
void unlike_cores_add(const struct experiment *experiment, json_t *warnings);

#endif
