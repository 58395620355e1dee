#ifndef LOADGEN_ENGINE_EVENT_H
#define LOADGEN_ENGINE_EVENT_H

/* What the engine reports to its driver, from any thread. */
enum engine_event { ENGINE_RUNNING, ENGINE_IDLE, ENGINE_FAILED };
typedef void engine_listener(void *context, enum engine_event event);

#endif
