// What an earlier session left that cannot be used.
#ifndef STATS_RESUME_H
#define STATS_RESUME_H

#include "experiment.h"

// Of `records` ([[number of the line, record], ...]) the numbers of those that
// must be made again on `host`: a block that another host began, as pairs are made
// of runs on one machine, and the run whose failure ended the experiment. A new
// array; NULL if memory ran out.
json_t *resume_unusable(const struct experiment *experiment, const json_t *records,
                        const char *host);

// Writes into the last entry of experiment.json's `resumed` how many runs were
// there and how many of them were set aside. False where there is no such entry,
// or it is of an earlier session.
bool resume_note(struct experiment *experiment, size_t runs, size_t set_aside);

#endif
