// What the time of a condition's runs was made of, as the kernel counted it for the target itself:
// computing, and waiting, of which most is for others. The slowdown by a load has its own account
// (shares.h); this one also says what a baseline lost.
#ifndef STATS_WAITING_H
#define STATS_WAITING_H

#include "experiment.h"
#include "replay.h"
#include "session.h"

#include <jansson.h>

// Gives each condition of a summary the member `time`: where its mean wall time went, with words;
// null where the kernel counts no waiting, where no run was used, and of a service's client.
void waiting_add(const struct experiment *experiment, const struct session *session,
                 const struct replay *replay, json_t *conditions);

#endif
