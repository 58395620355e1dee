// Runs the experiments of many cells on several threads.
#ifndef COVERAGE_WORKERS_H
#define COVERAGE_WORKERS_H

#include "experiment.h"

// Fills tallies[i] with `experiments` experiments of cells[i]. The result does
// not depend on the number of threads. False if a thread or memory failed.
bool workers_run(const struct cell *cells, struct tally *tallies, size_t count, size_t experiments,
                 unsigned long seed, size_t threads);

#endif
