// The engine of a run, as the files that make it share it: engine.c (the main thread's side),
// worker.c, orders.c and pacer.c (a worker's side), accounting.c, pinning.c and failure.c.
#ifndef LOADGEN_ENGINE_H
#define LOADGEN_ENGINE_H

#include "frame.h"

// With a path in it.
#define LONGEST_MESSAGE (PATH_MAX + 512)

struct engine {
    // Bumped with every change of the orders; sleeping workers wait on it.
    _Alignas(64) _Atomic uint32_t generation;
    _Alignas(64) pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct orders orders;
    struct demand demand;
    unsigned begun;   // workers whose begin() is over
    unsigned running; // workers that are between resume and pause
    unsigned resumed; // workers that have taken up the last resume
    struct prefault prefault;
    bool joined;
    int64_t length_ns; // from the next resume on; 0: not limited
    char failure[LONGEST_MESSAGE];
    // Active time and what was offered in it, up to the last change.
    int64_t changed_ns, active_ns, unlimited_ns;
    double offered;
    struct pacer *arrived; // of each worker, as far as `offered` has counted; NULL: evenly
    engine_listener *listener;
    void *listener_context;
};

static inline void engine_report(struct engine *engine, enum engine_event event)
{
    if (engine->listener)
        engine->listener(engine->listener_context, event);
}

// ---- worker.c ----

// A worker's thread, for pthread_create(): its argument is the struct worker.
void *worker_main(void *argument);

// ---- accounting.c ----

// Brings active time and offered amount up to at_ns. With the engine's mutex.
void accounting_update(struct run *run, int64_t at_ns);

// ---- pinning.c ----

// The CPU that a worker is to be pinned to; -1: none.
int pinning_cpu(const struct run *run, unsigned worker);

#endif
