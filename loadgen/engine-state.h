#ifndef LOADGEN_ENGINE_STATE_H
#define LOADGEN_ENGINE_STATE_H

/* What the parts of the engine share; no other file looks into it. */

#include "engine-event.h"
#include "load.h"

/* With a path in it. */
#define LONGEST_MESSAGE (PATH_MAX + 512)

struct engine {
    /* Bumped with every change of the orders; sleeping workers wait on it. */
    _Alignas(64) _Atomic uint32_t generation;
    _Alignas(64) pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct orders orders;
    unsigned begun;   /* workers whose begin() is over */
    unsigned running; /* workers that are between resume and pause */
    unsigned resumed; /* workers that have taken up the last resume */
    bool joined;
    int64_t length_ns; /* from the next resume on; 0: not limited */
    char failure[LONGEST_MESSAGE];
    /* Active time and what was offered in it, up to the last change. */
    int64_t changed_ns, active_ns, unlimited_ns;
    double offered;
    engine_listener *listener;
    void *listener_context;
};

static inline void engine_report(struct engine *engine, enum engine_event event)
{
    if (engine->listener != NULL)
        engine->listener(engine->listener_context, event);
}

#endif
