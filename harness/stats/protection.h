// What settings do for a target beside its neighbours, and what they cost: conditions with
// settings, each beside the same load without them.
#ifndef STATS_PROTECTION_H
#define STATS_PROTECTION_H

#include "experiment.h"
#include "replay.h"

#include <jansson.h>

// `protection` of a result, a new reference; null where no condition is a load with settings that
// was measured without them, too. `slowdowns` are those of the summary.
json_t *protection_json(const struct experiment *experiment, struct session *session,
                        const struct replay *replay, const json_t *slowdowns);

#endif
