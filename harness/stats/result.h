// result.json: all that an experiment showed.
#ifndef STATS_RESULT_H
#define STATS_RESULT_H

#include "experiment.h"
#include "replay.h"

// A new reference to the result of the session's runs: experiment.json's own
// members, and the summary with attribution, warnings and forecast.
json_t *result_build(const struct experiment *experiment, struct session *session,
                     const struct replay *replay);

// The result of each of the folders from its experiment.json and runs.jsonl
// alone, written to its result.json. One that fails is named on stderr and passed
// over. Returns the exit code: 1 if one failed.
int result_derive(char *const *folders, int count);

// Writes FOLDER/result.json so that no reader sees half of it. False after a
// message on stderr.
bool result_write(const json_t *result, const char *folder);

#endif
