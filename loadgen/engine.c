#include "engine.h"

#include "accounting.h"
#include "engine-state.h"
#include "failure.h"
#include "settings.h"
#include "worker.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int create_workers(struct run *run)
{
    sigset_t all, before;
    sigfillset(&all);
    /* Signals are the control plane's; a worker must not be woken by them. */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = 0;
    for (unsigned i = 0; i < run->threads && error == 0; i++) {
        struct worker *worker = &run->workers[i];
        worker->run = run;
        worker->index = i;
        worker->cpu = settings_worker_cpu(run, i);
        worker->orders = run->engine->orders;
        error = pthread_create(&worker->thread, NULL, worker_main, worker);
        if (error == 0) {
            worker->started = true;
            pthread_getcpuclockid(worker->thread, &worker->cpu_clock);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int engine_create(struct run *run, engine_listener *listener, void *context)
{
    struct engine *engine = aligned_alloc(64, (sizeof *engine + 63) / 64 * 64);
    if (engine == NULL)
        return -1;
    memset(engine, 0, sizeof *engine);
    pthread_mutex_init(&engine->mutex, NULL);
    pthread_cond_init(&engine->changed, NULL);
    engine->listener = listener;
    engine->listener_context = context;
    run->engine = engine;
    return 0;
}

int engine_start(struct run *run)
{
    struct engine *engine = run->engine;
    engine->orders = (struct orders){.order = ORDER_PAUSE, .rate = run->rate, .end_ns = INT64_MAX};
    if (run->threads == 0)
        return 0;
    run->workers = aligned_alloc(64, run->threads * sizeof *run->workers);
    if (run->workers == NULL)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    memset(run->workers, 0, run->threads * sizeof *run->workers);
    const int error = create_workers(run);
    if (error != 0)
        return run_fail(run, "cannot start %u workers: %s: give fewer --threads", run->threads,
                        strerror(error));
    pthread_mutex_lock(&engine->mutex);
    while (engine->begun < run->threads)
        pthread_cond_wait(&engine->changed, &engine->mutex);
    pthread_mutex_unlock(&engine->mutex);
    return failure_of(run) == NULL ? 0 : -1;
}

/* For a work() that may be blocked in something that is not the engine's. */
static void interrupt_all(struct run *run)
{
    const struct load_special *special = run->load->special;
    if (special == NULL || special->interrupt == NULL || run->workers == NULL)
        return;
    for (unsigned i = 0; i < run->threads; i++)
        if (run->workers[i].started)
            special->interrupt(&run->workers[i]);
}

static void give_orders(struct run *run, enum order order)
{
    struct engine *engine = run->engine;
    const int64_t at_ns = now_ns();
    pthread_mutex_lock(&engine->mutex);
    accounting_update(run, at_ns);
    engine->orders.order = order;
    engine->orders.rate = run->rate;
    engine->orders.epoch_ns = at_ns;
    engine->orders.generation++;
    if (order == ORDER_RUN) {
        if (engine->length_ns > 0)
            engine->orders.end_ns = at_ns + engine->length_ns;
        engine->length_ns = 0;
    }
    atomic_store_explicit(&engine->generation, engine->orders.generation, memory_order_release);
    pthread_mutex_unlock(&engine->mutex);
    syscall(SYS_futex, &engine->generation, FUTEX_WAKE_PRIVATE, INT32_MAX);
    interrupt_all(run);
}

void engine_set_length(struct run *run, int64_t length_ns)
{
    run->engine->length_ns = length_ns;
}

/* Workers are counted anew, of this resume: a rate that changes meanwhile takes none away. */
void engine_resume(struct run *run)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    engine->orders.resumes++;
    engine->resumed = 0;
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

void engine_set_rate(struct run *run, double rate)
{
    struct engine *engine = run->engine;
    pthread_mutex_lock(&engine->mutex);
    accounting_update(run, now_ns()); /* with the old rate */
    run->rate = rate;
    pthread_mutex_unlock(&engine->mutex);
    give_orders(run, engine->orders.order);
}

void engine_stop(struct run *run)
{
    struct engine *engine = run->engine;
    if (engine->joined)
        return;
    give_orders(run, ORDER_QUIT);
    for (unsigned i = 0; run->workers != NULL && i < run->threads; i++)
        if (run->workers[i].started)
            pthread_join(run->workers[i].thread, NULL);
    engine->joined = true;
}

void engine_free(struct run *run)
{
    if (run->engine == NULL)
        return;
    pthread_cond_destroy(&run->engine->changed);
    pthread_mutex_destroy(&run->engine->mutex);
    free(run->engine);
    free(run->workers);
    run->engine = NULL;
    run->workers = NULL;
}

void engine_cpus(const struct run *run, struct cpu_list *list)
{
    list->count = 0;
    for (unsigned i = 0; run->workers != NULL && i < run->threads; i++)
        if (run->workers[i].started) {
            cpus_of_thread(run->workers[i].id, list);
            settings_companion_cpu(run, i, list);
        }
    const pid_t process = run->load->process == NULL ? 0 : run->load->process->process(run);
    if (process > 0)
        cpus_of_thread(process, list);
}
