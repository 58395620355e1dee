// What jostle capacity found, for the result and for people.
#ifndef STATS_CAPACITY_JSON_H
#define STATS_CAPACITY_JSON_H

#include "experiment.h"
#include "session.h"

// `capacity` of a result, a new reference; null where the experiment is no such search.
json_t *capacity_json(const struct experiment *experiment, struct session *session);

#endif
