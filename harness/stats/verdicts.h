#ifndef STATS_VERDICTS_H
#define STATS_VERDICTS_H

#include "hub.h"

// How the hub ends an experiment: experiment.json, result.json, status.json.

// Writes all three, and answers `done` or `failed`. False if no answer can be written.
bool finish_all(struct hub *hub);

// Answers that hyperfine did not run the target, with what it said last.
bool finish_no_hyperfine(struct hub *hub);

#endif
