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

// The sum of what many jobs find: each gets a part of its own, `size` bytes of zeros, and
// add() takes the parts in the order of their numbers, so that the sum is the same for any
// number of threads. False as workers_run(), or when memory runs out.
struct workers_sum {
    bool (*job)(void *context, size_t number, void *part);
    void (*add)(void *sum, const void *part);
    size_t size;
};

bool workers_sum(const struct workers_sum *what, size_t jobs, size_t threads, void *context,
                 void *sum);

#endif
