#include "engine.h"

#include "accounting.h"
#include "engine-state.h"
#include "failure.h"
#include "settings.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A worker's thread: begin, orders, end. Also the worker_ functions of load.h. */

int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- what loads call ---- */

static void futex_wait_until(_Atomic uint32_t *word, uint32_t value, int64_t time_ns)
{
    struct timespec at = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
    /* FUTEX_WAIT_BITSET takes an absolute CLOCK_MONOTONIC time and the same
     * high-resolution timer as clock_nanosleep, and can be woken as well. */
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, time_ns == INT64_MAX ? NULL : &at,
            NULL, FUTEX_BITSET_MATCH_ANY);
}

/* Those that run are counted together with the orders that say so: a worker that has taken
 * them up, and is not counted yet, would be missing in a pause that comes right then. Reported
 * before the mutex is free, so that no later event overtakes it. */
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

/* Nothing is due from end_ns on: nothing of that can be dropped, however late it is. */
static void count_dropped(struct worker *worker, int64_t at_ns)
{
    const int64_t end_ns = worker->orders.end_ns;
    if (at_ns - PACER_DEBT_NS > end_ns)
        at_ns = end_ns + PACER_DEBT_NS;
    const uint64_t dropped = pacer_drop(&worker->pacer, at_ns);
    if (dropped > 0)
        worker_count(worker, 0, 0, 0, dropped);
}

/* A worker that was held up may see the end of its orders before it sees what it owes. */
static void take_orders(struct worker *worker)
{
    struct engine *engine = worker->run->engine;
    pthread_mutex_lock(&engine->mutex);
    if (worker->orders.order == ORDER_RUN && worker->run->load->timed)
        count_dropped(worker, engine->orders.epoch_ns);
    worker->orders = engine->orders;
    count_running(worker);
    pthread_mutex_unlock(&engine->mutex);
    pacer_set(&worker->pacer, worker->orders.epoch_ns, worker->orders.rate / worker->run->quantum,
              worker->index, worker->run->threads);
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
    while (atomic_load_explicit(&engine->generation, memory_order_acquire) == generation &&
           (time_ns == INT64_MAX || now_ns() < time_ns))
        futex_wait_until(&engine->generation, generation, time_ns);
    return worker_running(worker);
}

bool worker_take_due(struct worker *worker, int64_t at_ns, int64_t *due_ns)
{
    count_dropped(worker, at_ns);
    *due_ns = pacer_due(&worker->pacer, at_ns);
    if (*due_ns >= worker->orders.end_ns)
        *due_ns = INT64_MAX;
    if (*due_ns > at_ns)
        return false;
    pacer_take(&worker->pacer);
    return true;
}

bool worker_wait_due(struct worker *worker, int64_t *due_ns)
{
    while (worker_running(worker)) {
        if (worker_take_due(worker, now_ns(), due_ns))
            return true;
        worker_sleep_until(worker, *due_ns);
    }
    return false;
}

static void add(_Atomic uint64_t *counter, uint64_t more)
{
    /* One writer: no read-modify-write is needed. */
    if (more != 0)
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + more,
                              memory_order_relaxed);
}

void worker_count(struct worker *worker, double amount, uint64_t operations, uint64_t late,
                  uint64_t dropped)
{
    struct counts *counts = &worker->counts;
    const double before = atomic_load_explicit(&counts->amount, memory_order_relaxed);
    atomic_store_explicit(&counts->amount, before + amount, memory_order_relaxed);
    add(&counts->operations, operations);
    add(&counts->late, late);
    add(&counts->dropped, dropped);
}

void worker_done(struct worker *worker, int64_t due_ns, int64_t start_ns, int64_t end_ns,
                 double amount)
{
    worker_count(worker, amount, 1, start_ns - due_ns > PACER_LATE_NS, 0);
    histogram_record(&worker->service, end_ns - start_ns);
    histogram_record(&worker->response, end_ns - due_ns);
}

int64_t worker_cpu_ns(const struct worker *worker)
{
    struct timespec now;
    if (clock_gettime(worker->cpu_clock, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t run_epoch_ns(const struct run *run)
{
    return run->engine->orders.epoch_ns;
}

/* ---- the worker's thread ---- */

/* The loop of loads that have operate(). */
static void operate(struct worker *worker)
{
    const struct load *load = worker->run->load;
    int64_t due_ns;
    while (worker_wait_due(worker, &due_ns)) {
        const int64_t start_ns = now_ns();
        const double amount = load->operate(worker);
        if (amount < 0) {
            worker_sleep_until(worker, INT64_MAX);
            return;
        }
        worker_done(worker, due_ns, start_ns, now_ns(), amount);
    }
}

static void stop_running(struct worker *worker)
{
    struct engine *engine = worker->run->engine;
    pthread_mutex_lock(&engine->mutex);
    worker->running = false;
    const bool idle = --engine->running == 0 && engine->orders.order != ORDER_RUN;
    pthread_cond_broadcast(&engine->changed);
    if (idle)
        engine_report(engine, ENGINE_IDLE);
    pthread_mutex_unlock(&engine->mutex);
}

/* Orders may change at any time, and be taken by every call of worker_running(). */
static void follow_orders(struct worker *worker)
{
    const struct load *load = worker->run->load;
    for (;;) {
        while (worker_running(worker)) /* a load whose work() returns early is called again */
            (load->work != NULL ? load->work : operate)(worker);
        if (worker->running)
            stop_running(worker);
        else if (worker->orders.order == ORDER_QUIT)
            return;
        else
            worker_sleep_until(worker, INT64_MAX);
    }
}

/* For pthread_create(); argument is the struct worker. */
static void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct run *run = worker->run;
    const struct load *load = run->load;
    char name[16];
    worker->id = (pid_t)syscall(SYS_gettid); /* glibc has gettid() since 2.30 */
    snprintf(name, sizeof name, "%.8s/%u", load->name, worker->index % 100000);
    pthread_setname_np(pthread_self(), name);
    /* Timers as exact as the hardware's, in place of 50 us later. */
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    int failed = worker->cpu >= 0 ? cpus_pin(worker->cpu) : cpus_pin_list(&run->cpus);
    if (failed != 0)
        worker_fail(worker, "cannot use the CPUs: %s: see --cpus", strerror(errno));
    else if (load->begin != NULL)
        failed = load->begin(worker);
    /* Before the main thread hears of it, which then counts once more and may read what a
     * worker holds. */
    if (failed != 0 && load->end != NULL)
        load->end(worker);
    pthread_mutex_lock(&run->engine->mutex);
    run->engine->begun++;
    pthread_cond_broadcast(&run->engine->changed);
    pthread_mutex_unlock(&run->engine->mutex);
    if (failed != 0)
        return NULL;
    follow_orders(worker);
    if (load->end != NULL)
        load->end(worker);
    return NULL;
}

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
