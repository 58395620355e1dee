// What a client program says of its own measurement, beyond its figures: how many requests
// there were, how many failed, at which rate, and whether the first half of a run was like the
// second. Such helpers are metrics with a role (common/metric.h), in settings.metrics of
// experiment.json; those of an adapter are about the figures of the same adapter.
#ifndef STATS_CLIENT_H
#define STATS_CLIENT_H

#include "experiment.h"
#include "replay.h"

// Appends the warnings where a figure cannot be what it seems.
void client_warnings(const struct experiment *experiment, struct session *session,
                     const struct replay *replay, json_t *warnings);

#endif
