// The thread of a worker, from its beginning to its end: it makes load whenever it is told to.

#include "engine.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

// The loop of loads that have operate().
static void operate(struct worker *worker)
{
    const struct load *load = worker->run->load;
    int64_t due_ns;
    while (worker_wait_due(worker, &due_ns)) {
        const int64_t start_ns = clock_ns();
        const double amount = load->operate(worker);
        if (amount < 0) {
            worker_sleep_until(worker, INT64_MAX);
            return;
        }
        worker_done(worker, due_ns, start_ns, clock_ns(), amount);
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

// Orders may change at any time, and be taken by every call of worker_running().
static void follow_orders(struct worker *worker)
{
    const struct load *load = worker->run->load;
    for (;;) {
        while (worker_running(worker)) // a load whose work() returns early is called again
            (load->work ? load->work : operate)(worker);
        if (worker->running)
            stop_running(worker);
        else if (worker->orders.order == ORDER_QUIT)
            return;
        else
            worker_sleep_until(worker, INT64_MAX);
    }
}

static int begin(struct worker *worker)
{
    const struct load *load = worker->run->load;
    if (load->worker_size > 0 && (worker->state = zeroed_lines(1, load->worker_size)) == NULL)
        return worker_fail(worker, "out of memory: free some");
    return load->begin ? load->begin(worker) : 0;
}

static void end(struct worker *worker)
{
    const struct load *load = worker->run->load;
    const bool owned = load->worker_size > 0;
    if (load->end && (!owned || worker->state))
        load->end(worker);
    if (!owned)
        return;
    free(worker->state);
    worker->state = NULL;
}

void *worker_main(void *argument)
{
    struct worker *worker = argument;
    struct run *run = worker->run;
    const struct load *load = run->load;
    char name[16];
    worker->id = (pid_t)syscall(SYS_gettid); // glibc has gettid() since 2.30
    snprintf(name, sizeof name, "%.8s/%u", load->name, worker->index % 100000);
    pthread_setname_np(pthread_self(), name);
    // Timers as exact as the hardware's, in place of 50 us later.
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    int failed = worker->cpu >= 0 ? cpus_pin(worker->cpu) : cpus_pin_list(&run->cpus);
    if (failed != 0)
        worker_fail(worker, "cannot use the CPUs: %s: see --cpus", strerror(errno));
    else
        failed = begin(worker);
    // Before the main thread hears of it, which then counts once more and may read what a
    // worker holds.
    if (failed != 0)
        end(worker);
    else if (load->fills)
        prefault_done(&run->engine->prefault);
    pthread_mutex_lock(&run->engine->mutex);
    run->engine->begun++;
    pthread_cond_broadcast(&run->engine->changed);
    pthread_mutex_unlock(&run->engine->mutex);
    if (failed != 0)
        return NULL;
    follow_orders(worker);
    end(worker);
    return NULL;
}
