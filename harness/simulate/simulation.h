// What one thread needs to simulate experiments, one after another.
#ifndef SIMULATE_SIMULATION_H
#define SIMULATE_SIMULATION_H

#include "harness/stats/session.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>

// Not to be moved: the session knows where its settings are.
struct simulation {
    struct settings settings;
    struct session session;
    gsl_rng *rng;
};

// chunk: of the experiments, from 0. Each has random numbers of its own, so it is the same
// whichever thread takes it. False if memory ran out; to be freed all the same.
bool simulation_init(struct simulation *simulation, const struct settings *settings,
                     unsigned long seed, size_t chunk);

// Begins a new experiment, whose order of runs is drawn anew.
void simulation_next(struct simulation *simulation);

void simulation_free(struct simulation *simulation);

#endif
