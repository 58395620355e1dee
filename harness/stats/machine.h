// What the machine itself reached before each block, by the probes in the records: its median,
// spread and drift over the experiment. No figure is ever corrected by it.
#ifndef STATS_MACHINE_H
#define STATS_MACHINE_H

#include "replay.h"
#include "session.h"

#include <jansson.h>

// `machine` of a jostle.result/1, a new reference: null where no record has a probe.
// `warnings` gets a note of each reporter that drifted by much.
json_t *machine_json(const struct session *session, const struct replay *replay, json_t *warnings);

#endif
