#include "frame.h"

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/file.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>

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

// A worker's thread: begin, orders, end. Also the worker_ functions of load.h.

// ---- what loads call ----

// Those that run are counted together with the orders that say so: a worker that has taken
// them up, and is not counted yet, would be missing in a pause that comes right then. Reported
// before the mutex is free, so that no later event overtakes it.
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

// Drops what was due before then and has not been taken.
static void count_dropped(struct worker *worker, int64_t before_ns)
{
    const int64_t end_ns = worker->orders.end_ns; // nothing is due from then on
    const int64_t at_ns = unpaused(&worker->orders, before_ns < end_ns ? before_ns : end_ns);
    const uint64_t dropped =
        pacer_take_until(&worker->pacer, demand_operations(&worker->demand, at_ns));
    if (dropped > 0)
        worker_count(worker, 0, 0, 0, dropped);
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

bool worker_take_due(struct worker *worker, int64_t at_ns, int64_t *due_ns)
{
    *due_ns = at_ns;
    if (isinf(worker->orders.rate))
        return true;
    count_dropped(worker, at_ns - PACER_DEBT_NS);
    const int64_t when_ns = demand_when(&worker->demand, worker->pacer.next);
    *due_ns = when_ns == INT64_MAX ? INT64_MAX : when_ns + worker->orders.paused_ns;
    if (*due_ns >= worker->orders.end_ns)
        *due_ns = INT64_MAX;
    if (*due_ns > at_ns)
        return false;
    worker->orders.quantum = demand_quantum(&worker->demand, worker->pacer.next);
    pacer_take(&worker->pacer);
    return true;
}

bool worker_wait_due(struct worker *worker, int64_t *due_ns)
{
    // The clock comes first: of a later time than that of its orders a worker knows no demand.
    for (int64_t at_ns = clock_ns(); worker_running(worker); at_ns = clock_ns()) {
        if (worker_take_due(worker, at_ns, due_ns))
            return true;
        worker_sleep_until(worker, *due_ns);
    }
    return false;
}

void worker_count(struct worker *worker, double amount, uint64_t operations, uint64_t late,
                  uint64_t dropped)
{
    struct counts *counts = &worker->counts;
    const double before = atomic_load_explicit(&counts->amount, memory_order_relaxed);
    atomic_store_explicit(&counts->amount, before + amount, memory_order_relaxed);
    counter_add(&counts->operations, operations);
    counter_add(&counts->late, late);
    counter_add(&counts->dropped, dropped);
}

void worker_add(struct worker *worker, unsigned counter, uint64_t more)
{
    counter_add(&worker->counts.own[counter], more);
}

void worker_done(struct worker *worker, int64_t due_ns, int64_t start_ns, int64_t end_ns,
                 double amount)
{
    worker_count(worker, amount, 1, start_ns - due_ns > PACER_LATE_NS, 0);
    counter_add(&worker->counts.busy_ns, (uint64_t)(end_ns - start_ns));
    histogram_record(&worker->service, end_ns - start_ns);
    histogram_record(&worker->response, end_ns - due_ns);
}

int64_t worker_cpu_ns(const struct worker *worker)
{
    return clock_of(worker->cpu_clock);
}

// ---- the worker's thread ----

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
    return !load->begin ? 0 : load->begin(worker);
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

// For pthread_create(); argument is the struct worker.
static void *worker_main(void *argument)
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

// Of a worker; -1: it is not pinned.
static int chosen_cpu(const struct run *run, unsigned worker)
{
    if (!run->load->pinned)
        return -1;
    if (run->load->worker_cpu)
        return run->load->worker_cpu(run, worker);
    return run->cpus.cpu[worker % run->cpus.count];
}

// Adds that of the second thread which the workers of some loads have.
static void add_companion(const struct run *run, unsigned worker, struct cpu_list *cpus)
{
    if (run->load->companion_cpu)
        cpus_add(cpus, run->load->companion_cpu(run, worker));
}

void engine_worker_cpus(const struct run *run, struct cpu_list *cpus)
{
    *cpus = run->cpus;
    if (!run->load->pinned || run->threads == 0)
        return;
    cpus->count = 0;
    for (unsigned i = 0; i < run->threads; i++) {
        cpus_add(cpus, chosen_cpu(run, i));
        add_companion(run, i, cpus);
    }
}

static int create_workers(struct run *run)
{
    int error = 0;
    for (unsigned i = 0; i < run->threads && error == 0; i++) {
        struct worker *worker = &run->workers[i];
        worker->run = run;
        worker->index = i;
        worker->cpu = chosen_cpu(run, i);
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

// The same arrivals as the workers', to count what is offered. False: no memory.
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
    return !failure_of(run) ? 0 : -1;
}

// Operations that are due before so many have been asked for: none at the very end, as the workers
// have it.
static double due_before(double operations)
{
    return fmax(ceil(operations - 0.5), 0);
}

// How many become due while the demand comes from one number to another.
static double due_between(struct run *run, double from, double to)
{
    struct pacer *arrived = run->engine->arrived;
    double due = arrived ? 0 : due_before(to) - due_before(from);
    for (unsigned i = 0; arrived && i < run->threads; i++)
        due += (double)pacer_take_until(&arrived[i], to);
    return due;
}

// Base units that were offered between two times of the present orders: with operations those that
// became due, as at a few a second nobody could do rate * time of a short window.
static double offered_between(struct run *run, int64_t from_ns, int64_t to_ns)
{
    const struct engine *engine = run->engine;
    const struct orders *orders = &engine->orders;
    const double own =
        run->load->offered ? run->load->offered(run, orders->resumed_ns, from_ns, to_ns) : NAN;
    if (!isnan(own))
        return own;
    const double from = demand_operations(&engine->demand, unpaused(orders, from_ns)),
                 to = demand_operations(&engine->demand, unpaused(orders, to_ns));
    const bool single = has_operations(run->load) || engine->arrived;
    return orders->quantum * (single ? due_between(run, from, to) : to - from);
}

// Brings active time and offered amount up to now.
static void accounting_update(struct run *run, int64_t at_ns)
{
    struct engine *engine = run->engine;
    if (at_ns > engine->orders.end_ns)
        at_ns =
            engine->changed_ns > engine->orders.end_ns ? engine->changed_ns : engine->orders.end_ns;
    if (engine->orders.order == ORDER_RUN) {
        const int64_t passed_ns = at_ns - engine->changed_ns;
        engine->active_ns += passed_ns;
        if (isinf(run->rate))
            engine->unlimited_ns += passed_ns;
        else
            engine->offered += offered_between(run, engine->changed_ns, at_ns);
    }
    engine->changed_ns = at_ns;
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

void engine_cpus(const struct run *run, struct cpu_list *list)
{
    list->count = 0;
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        if (run->workers[i].started) {
            cpus_of_thread(run->workers[i].id, list);
            add_companion(run, i, list);
        }
    const pid_t process = !run->load->process ? 0 : run->load->process->process(run);
    if (process > 0)
        cpus_of_thread(process, list);
}

static bool is_same(const struct cpu_list *a, const struct cpu_list *b)
{
    return a->count == b->count && memcmp(a->cpu, b->cpu, a->count * sizeof a->cpu[0]) == 0;
}

bool engine_is_moved(const struct run *run)
{
    struct cpu_list now = {0}, one = {.count = 1};
    for (unsigned i = 0; run->workers && i < run->threads; i++) {
        const struct worker *worker = &run->workers[i];
        one.cpu[0] = worker->cpu;
        now.count = 0;
        if (worker->started && cpus_of_thread(worker->id, &now) &&
            !is_same(&now, worker->cpu >= 0 ? &one : &run->cpus))
            return true;
    }
    // A command may choose CPUs itself; what this thread may use only others change.
    if (!run->load->process || cpus_allowed(&now) != 0)
        return false;
    const unsigned allowed = now.count;
    for (unsigned i = 0; i < run->cpus.count; i++)
        cpus_add(&now, run->cpus.cpu[i]);
    return now.count > allowed;
}

const char *failure_of(const struct run *run)
{
    if (!run->engine)
        return "out of memory: free some";
    return run->engine->failure[0] == '\0' ? NULL : run->engine->failure;
}

int run_end(struct run *run, int status, const char *format, ...)
{
    struct engine *engine = run->engine;
    char text[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!engine) {
        complain("%s", text);
        exit(status);
    }
    pthread_mutex_lock(&engine->mutex);
    if (engine->failure[0] == '\0')
        memcpy(engine->failure, text, sizeof text);
    pthread_mutex_unlock(&engine->mutex);
    engine_report(engine, ENGINE_FAILED);
    return -1;
}

void run_warn(struct run *run, const char *format, ...)
{
    char text[LONGEST_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (run->common.calib)
        complain("%s", text); // stdout is for the record alone
    else
        report_say(&run->report, "warning", text);
}

static void add_worker(const struct worker *worker, struct snapshot *snapshot)
{
    const struct counts *counts = &worker->counts;
    snapshot->amount += atomic_load_explicit(&counts->amount, memory_order_relaxed);
    snapshot->operations += counter_read(&counts->operations);
    snapshot->late += counter_read(&counts->late);
    snapshot->dropped += counter_read(&counts->dropped);
    snapshot->busy_ns += counter_read(&counts->busy_ns);
    for (unsigned i = 0; i < WORKER_COUNTERS; i++)
        snapshot->counters[i] += (double)counter_read(&counts->own[i]);
    if (has_operations(worker->run->load)) {
        histogram_add(&snapshot->service, &worker->service);
        histogram_add(&snapshot->response, &worker->response);
    }
}

void accounting_snapshot(struct run *run, struct snapshot *snapshot)
{
    const struct load *load = run->load;
    memset(snapshot, 0, sizeof *snapshot);
    pthread_mutex_lock(&run->engine->mutex);
    accounting_update(run, clock_ns());
    pthread_mutex_unlock(&run->engine->mutex);
    snapshot->active_ns = run->engine->active_ns;
    snapshot->unlimited_ns = run->engine->unlimited_ns;
    snapshot->offered = run->engine->offered;
    snapshot->cpu_ns = load->cpu_ns ? load->cpu_ns(run) : clock_of(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        add_worker(&run->workers[i], snapshot);
    if (load->delivered)
        snapshot->amount = load->delivered(run);
    else if (load->process)
        snapshot->amount = NAN;
    if (load->count)
        load->count(run, snapshot->counters);
}

void accounting_difference(const struct snapshot *later, const struct snapshot *earlier,
                           struct snapshot *window)
{
    *window = *later;
    window->active_ns -= earlier->active_ns;
    window->cpu_ns -= earlier->cpu_ns;
    window->unlimited_ns -= earlier->unlimited_ns;
    window->offered = window->unlimited_ns > 0 ? NAN : window->offered - earlier->offered;
    window->amount -= earlier->amount;
    window->operations -= earlier->operations;
    window->late -= earlier->late;
    window->dropped -= earlier->dropped;
    window->busy_ns -= earlier->busy_ns;
    for (int i = 0; i < LOAD_COUNTERS; i++)
        window->counters[i] -= earlier->counters[i];
    histogram_subtract(&window->service, &earlier->service);
    histogram_subtract(&window->response, &earlier->response);
}

double per_second(double amount, const struct snapshot *window)
{
    return window->active_ns > 0 ? amount * 1e9 / (double)window->active_ns : NAN;
}

double per_unit(double amount, const struct snapshot *window)
{
    return window->amount > 0 ? amount / window->amount : NAN;
}

double ns_per_unit(const struct snapshot *window)
{
    const int64_t operation_ns = histogram_quantile(&window->service, 0.5);
    return operation_ns < 0 ? NAN
                            : per_unit((double)operation_ns * (double)window->operations, window);
}

static double counted_in(const char *path, const char *field)
{
    char text[1024], key[32];
    uint64_t value;
    snprintf(key, sizeof key, "%s: ", field);
    return file_read(AT_FDCWD, path, text, sizeof text) && file_number(text, key, &value)
               ? (double)value
               : NAN;
}

double thread_io(pid_t thread, const char *field)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/io", thread);
    return counted_in(path, field);
}

double process_io(const char *field)
{
    return counted_in("/proc/self/io", field);
}
