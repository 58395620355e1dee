// The engine as the main thread drives it: starts the workers paused, resumes and pauses them,
// changes their rate, and ends them.

#include "engine.h"

#include "common/cgroup.h"

#include <linux/futex.h>
#include <sys/random.h>
#include <sys/syscall.h>

static int create_workers(struct run *run)
{
    int error = 0;
    for (unsigned i = 0; i < run->threads && error == 0; i++) {
        struct worker *worker = &run->workers[i];
        worker->run = run;
        worker->index = i;
        worker->cpu = pinning_cpu(run, i);
        worker->orders = run->engine->orders;
        pacer_begin(&worker->pacer, run->arrivals, i, run->threads);
        error = thread_start(&worker->thread, worker_main, worker);
        if (error == 0) {
            worker->started = true;
            pthread_getcpuclockid(worker->thread, &worker->cpu_clock);
        }
    }
    return error;
}

#define USUAL_STEPS_PER_S 100

double engine_quantum(const struct run *run)
{
    const double steps = run->load->steps_per_s > 0 ? run->load->steps_per_s : USUAL_STEPS_PER_S;
    const double most = run->quantum, grain = run->grain;
    if (!(grain > 0) || !isfinite(run->rate))
        return most;
    return fmin(fmax(floor(run->rate / steps / grain), 1) * grain, most);
}

// From now on the demand is that of the run's rate.
static void bend_demand(struct run *run)
{
    struct engine *engine = run->engine;
    engine->orders.rate = run->rate;
    engine->orders.quantum = engine_quantum(run);
    demand_change(&engine->demand, engine->active_ns,
                  (struct piece){.quantum = engine->orders.quantum,
                                 .rate = run->rate,
                                 .schedule = has_schedule(run) ? &run->schedule : NULL,
                                 .origin_ns = engine->active_ns - run->phase_ns});
}

// Makes pacers with the same arrivals as the workers', to count what is offered. False: no memory.
static bool count_arrivals(struct run *run)
{
    struct pacer *arrived = run->engine->arrived = calloc(run->threads, sizeof *arrived);
    for (unsigned i = 0; arrived && i < run->threads; i++)
        pacer_begin(&arrived[i], run->arrivals, i, run->threads);
    return arrived != NULL;
}

int engine_start(struct run *run, engine_listener *listener, void *context)
{
    struct engine *engine = run->engine = zeroed_lines(1, sizeof *engine);
    if (!engine)
        return -1;
    pthread_mutex_init(&engine->mutex, NULL);
    pthread_cond_init(&engine->changed, NULL);
    engine->listener = listener;
    engine->listener_context = context;
    engine->orders = (struct orders){.order = ORDER_PAUSE, .end_ns = INT64_MAX};
    bend_demand(run);
    if (run->load->prepare && run->load->prepare(run) != 0)
        return -1;
    if (run->threads == 0)
        return 0;
    run->workers = zeroed_lines(run->threads, sizeof *run->workers);
    if (!run->workers)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    if (run->arrivals == ARRIVALS_POISSON && !count_arrivals(run))
        return run_fail(run, "out of memory: free some");
    if (run->load->fills) {
        headroom_volunteer();
        prefault_begin(&engine->prefault, run->threads);
    }
    const int error = create_workers(run);
    if (error != 0)
        return run_fail(run, "cannot start %u workers: %s: give fewer --threads", run->threads,
                        limits_why(error, (char[LIMITS_WHY]){0}, LIMITS_WHY));
    pthread_mutex_lock(&engine->mutex);
    while (engine->begun < run->threads)
        pthread_cond_wait(&engine->changed, &engine->mutex);
    pthread_mutex_unlock(&engine->mutex);
    return failure_of(run) ? -1 : 0;
}

static void give_orders(struct run *run, enum order order)
{
    struct engine *engine = run->engine;
    const int64_t at_ns = clock_ns();
    pthread_mutex_lock(&engine->mutex);
    accounting_update(run, at_ns);
    if (engine->orders.order != ORDER_RUN && order == ORDER_RUN) {
        engine->orders.resumed_ns = at_ns;
        engine->orders.paused_ns = at_ns - engine->active_ns;
    }
    engine->orders.order = order;
    engine->orders.generation++;
    if (order == ORDER_RUN) {
        if (engine->length_ns > 0)
            engine->orders.end_ns = at_ns + engine->length_ns;
        engine->length_ns = 0;
    }
    atomic_store_explicit(&engine->generation, engine->orders.generation, memory_order_release);
    pthread_mutex_unlock(&engine->mutex);
    syscall(SYS_futex, &engine->generation, FUTEX_WAKE_PRIVATE, INT32_MAX);
    // For a work() that may be blocked in something that is not the engine's.
    if (!run->load->interrupt || !run->workers)
        return;
    for (unsigned i = 0; i < run->threads; i++)
        if (run->workers[i].started)
            run->load->interrupt(&run->workers[i]);
}

void engine_set_length(struct run *run, int64_t length_ns)
{
    run->engine->length_ns = length_ns;
}

// Where in its schedule the load begins at a resume.
static void begin_phase(struct run *run)
{
    uint64_t bits;
    if (!run->phase_random)
        return;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        bits = (uint64_t)clock_ns() * 0x9e3779b97f4a7c15U;
    run->phase_ns = (int64_t)((double)(bits >> 11) / 0x1p53 * run->schedule.length_ns);
}

// Workers are counted anew, of this resume: a rate that changes meanwhile takes none away.
void engine_resume(struct run *run)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    engine->orders.resumes++;
    engine->resumed = 0;
    if (has_schedule(run)) { // from their beginning
        begin_phase(run);
        bend_demand(run);
    }
    pthread_mutex_unlock(&engine->mutex);
    give_orders(run, ORDER_RUN);
}

void engine_pause(struct run *run)
{
    give_orders(run, ORDER_PAUSE);
    pthread_mutex_lock(&run->engine->mutex);
    const bool idle = run->engine->running == 0;
    pthread_mutex_unlock(&run->engine->mutex);
    if (idle && run->threads > 0)
        engine_report(run->engine, ENGINE_IDLE);
}

void engine_wait_idle(struct run *run)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    while (engine->running > 0)
        pthread_cond_wait(&engine->changed, &engine->mutex);
    pthread_mutex_unlock(&engine->mutex);
}

void engine_drop_owed(struct run *run)
{
    const struct engine *engine = run->engine;
    const double due = demand_operations(&engine->demand, engine->active_ns);
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        if (has_operations(run->load) && isfinite(run->rate))
            worker_count(&run->workers[i], 0, 0, 0, pacer_take_until(&run->workers[i].pacer, due));
}

void engine_set_rate(struct run *run, double rate)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    accounting_update(run, clock_ns()); // with the old rate
    run->rate = rate;
    bend_demand(run);
    pthread_mutex_unlock(&engine->mutex);
    give_orders(run, engine->orders.order);
}

void engine_stop(struct run *run)
{
    struct engine *engine = run->engine;
    if (engine->joined)
        return;
    give_orders(run, ORDER_QUIT);
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        if (run->workers[i].started)
            pthread_join(run->workers[i].thread, NULL);
    engine->joined = true;
}

void engine_free(struct run *run)
{
    if (!run->engine)
        return;
    pthread_cond_destroy(&run->engine->changed);
    pthread_mutex_destroy(&run->engine->mutex);
    free(run->engine->arrived);
    free(run->engine);
    free(run->workers);
    run->engine = NULL;
    run->workers = NULL;
}
