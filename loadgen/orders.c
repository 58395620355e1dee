// How a worker takes up the orders of the engine: run or stop, at which rate, and sleep until they
// change.

#include "engine.h"

#include <linux/futex.h>
#include <sys/syscall.h>

// Workers that run are counted together with the orders that say so: a worker that has taken
// them up, and is not counted yet, would be missing in a pause that comes right then. It
// is reported before the mutex is free, so that no later event overtakes it.
static void count_running(struct worker *worker)
{
    struct engine *engine = worker->run->engine;
    if (worker->orders.order != ORDER_RUN)
        return;
    engine->running += !worker->running;
    worker->running = true;
    if (worker->resumed == worker->orders.resumes)
        return;
    worker->resumed = worker->orders.resumes;
    if (++engine->resumed == worker->run->threads)
        engine_report(engine, ENGINE_RUNNING);
}

static void take_orders(struct worker *worker)
{
    struct engine *engine = worker->run->engine;
    pthread_mutex_lock(&engine->mutex);
    worker->orders = engine->orders;
    if (worker->demand.changes != engine->demand.changes)
        worker->demand = engine->demand;
    count_running(worker);
    pthread_mutex_unlock(&engine->mutex);
}

bool worker_running(struct worker *worker)
{
    struct engine *engine = worker->run->engine;
    if (atomic_load_explicit(&engine->generation, memory_order_acquire) !=
        worker->orders.generation)
        take_orders(worker);
    return worker->orders.order == ORDER_RUN;
}

bool worker_sleep_until(struct worker *worker, int64_t time_ns)
{
    struct engine *engine = worker->run->engine;
    const uint32_t generation = worker->orders.generation;
    const struct timespec at = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
    // FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time and the same
    // high-resolution timer as clock_nanosleep, and can be woken as well.
    while (atomic_load_explicit(&engine->generation, memory_order_acquire) == generation &&
           (time_ns == INT64_MAX || clock_ns() < time_ns))
        syscall(SYS_futex, &engine->generation, FUTEX_WAIT_BITSET_PRIVATE, generation,
                time_ns == INT64_MAX ? NULL : &at, NULL, FUTEX_BITSET_MATCH_ANY);
    return worker_running(worker);
}
