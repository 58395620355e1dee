// What a result says of the service whose client the target is.
#ifndef STATS_SERVICE_H
#define STATS_SERVICE_H

#include "experiment.h"
#include "replay.h"

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
