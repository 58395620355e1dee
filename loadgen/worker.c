#include "worker.h"

#include "engine-state.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

void *worker_main(void *argument)
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
