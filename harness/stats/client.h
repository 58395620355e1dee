#ifndef STATS_CLIENT_H
#define STATS_CLIENT_H

#include "experiment.h"
#include "replay.h"

// What a client program says of its own measurement, beyond its figures: how many requests
// there were, how many failed, at which rate, and whether the first half of a run was like the
// second. Such helpers are metrics with a role (common/metric.h), in settings.metrics of
// experiment.json; those of an adapter are about the figures of the same adapter.

// Appends the warnings where a figure cannot be what it seems.
void client_warnings(const struct experiment *experiment, struct session *session,
                     const struct replay *replay, json_t *warnings);

// What a result says of the service whose client the target is.

// Whether the experiment has a service.
bool service_is_there(const struct experiment *experiment);

// Adds `service` to each of the result's conditions, in the order of the settings: what it took
// over the used runs; null where there is none.
void service_add(const struct experiment *experiment, const struct session *session,
                 const struct replay *replay, json_t *conditions);

// Warns where the service was started anew by no wish of the harness, and where the kernel gave it
// a share of the CPUs of its own.
void service_warnings(const struct experiment *experiment, const struct session *session,
                      const struct replay *replay, json_t *warnings);

#endif
