// Spreads many independent jobs over several threads.
#ifndef SIMULATE_WORKERS_H
#define SIMULATE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

// Calls job(context, 0), ... job(context, jobs - 1), each once, from several
// threads. False if no thread could be started or a job said false; then some
// may not have been called.
bool workers_run(size_t jobs, size_t threads, bool (*job)(void *context, size_t number),
                 void *context);

#endif
