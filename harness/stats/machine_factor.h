// The machine's factor: what the machine itself reached before each block, by the probes in the
// records, and how much of what the target did follows from it. Nothing is ever corrected by it.
//
// A reading becomes a *cost*, a logarithm that is larger where the machine is worse: of what is
// worse when higher log(value), of what is worse when lower -log(value). A difference of 0.03 is
// a machine that is 3 % worse.
#ifndef STATS_MACHINE_FACTOR_H
#define STATS_MACHINE_FACTOR_H

#include "experiment.h"
#include "explain.h"
#include "replay.h"
#include "session.h"

#include <jansson.h>

// What one reporter found over an experiment: a reading for each probe that it was part of.
struct factor {
    const char *name, *unit; // of the records, which must outlive it
    bool lower_is_worse;
    size_t count;
    size_t *probe; // which one, from 0
    double *value, *cost;
    double *target; // mean log of the baseline's metric, of the blocks from that probe to the next,
                    // larger is worse; NAN: none that counts
};

struct factors {
    struct factor *factor;
    size_t count;
    size_t probes;      // in all
    const char *metric; // what `target` is of: the first that decides
};

// From the probes in front of runs that count. False if memory ran out; to be freed all the same.
bool factors_read(struct factors *factors, const struct session *session,
                  const struct replay *replay);
void factors_free(struct factors *factors);

// The factor of that name; NULL: there is none.
const struct factor *factors_find(const struct factors *factors, const char *name);

// Mean cost, and its standard error, to which neighbours that resemble each other add; NAN where
// there are fewer than two.
struct factor_level {
    double mean, error;
    double df; // of the error
};
struct factor_level factor_level(const struct factor *factor);

// How much of the variance of the target between blocks it explains; NAN: too few blocks.
struct explained factor_explains(const struct factor *factor, double confidence);

// `machine_factor` of a jostle.result/1, a new reference. `warnings` gets a note of each reporter
// that drifted by much.
json_t *factors_to_json(const struct factors *factors, const struct session *session,
                        json_t *warnings);

#endif
