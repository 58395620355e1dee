// Simulates experiments: what one thread needs for them, one after another, and many of them
// on several threads.
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

// Empties a session for the next experiment, and keeps the quantiles that it has learnt.
void simulation_clear(struct session *session);

// Begins a new experiment, whose order of runs is drawn anew.
void simulation_next(struct simulation *simulation);

void simulation_free(struct simulation *simulation);

// One experiment, until decide() ends it: draw() fills in what each run found; of a washout run,
// too, which is not used. False if memory ran out or draw() said false.
bool simulation_measure(struct session *session,
                        bool (*draw)(void *context, struct observation *run), void *context);

// The sum of what many experiments find. They are made in chunks of `chunk`, all of them whole:
// there may be a few more than `experiments`.
struct simulations {
    const struct settings *settings;
    unsigned long seed;
    size_t experiments, chunk, threads;
    // Makes one, and adds what it finds to a part of the sum; false where it failed.
    bool (*one)(void *context, struct simulation *simulation, void *part);
    void (*add)(void *sum, const void *part); // a part to the whole
    size_t size;                              // of a sum: zeros to begin with
};

// The same sum whatever the number of threads. False as workers_sum(), or where one failed.
bool simulations_sum(const struct simulations *what, void *context, void *sum);

#endif
