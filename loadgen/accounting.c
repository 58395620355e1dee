// What a run has offered, done and used: workers count their operations here, and the control plane
// takes the figures of a time or of a window.

#include "engine.h"

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

void accounting_update(struct run *run, int64_t at_ns)
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
