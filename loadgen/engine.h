#ifndef LOADGEN_ENGINE_H
#define LOADGEN_ENGINE_H

/* Workers: threads that are started paused, run, are paused, and end. Callable
 * from the main thread only. Used by the control plane; a load's calibration
 * may drive it by itself. */

#include "load.h"

/* What the engine reports to its driver, from any thread. */
enum engine_event { ENGINE_RUNNING, ENGINE_IDLE, ENGINE_FAILED };
typedef void engine_listener(void *context, enum engine_event event);

/* Makes run->engine, after which run_fail() may be used. listener may be NULL. */
int engine_create(struct run *run, engine_listener *listener, void *context);
/* Starts run->threads workers, paused; returns when all have begun. 0, or -1
 * with the reason in failure_of(). */
int engine_start(struct run *run);
/* Before the first resume: operations become due, and time counts, for exactly
 * so long after it, whenever the pause that follows may come. */
void engine_set_length(struct run *run, int64_t length_ns);
void engine_resume(struct run *run);
/* Asks the workers to pause; engine_wait_idle() waits until they have. */
void engine_pause(struct run *run);
void engine_wait_idle(struct run *run);
/* A new rate from now on. */
void engine_set_rate(struct run *run, double rate);
/* Pauses, ends and joins all workers. Safe to call twice. */
void engine_stop(struct run *run);
void engine_free(struct run *run);
/* Where the kernel lets the workers (or the load's process) run at this moment,
 * all of them together: others may have changed it. Empty when there are none. */
void engine_cpus(const struct run *run, struct cpu_list *list);

/* Why the load failed (run_fail() and worker_fail() of load.h), or NULL. */
const char *failure_of(const struct run *run);

/* What a run has offered, done and used so far. */

/* Figures since the start. */
void accounting_snapshot(struct run *run, struct snapshot *snapshot);
/* window = later - earlier. */
void accounting_difference(const struct snapshot *later, const struct snapshot *earlier,
                           struct snapshot *window);

#endif
