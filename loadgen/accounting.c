#include "accounting.h"

#include "engine-state.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* What was offered to a paced load between two times under the same orders. With
 * operations it is those that became due: at a few a second, nobody could do
 * rate * time of a short window. */
static double offered_between(const struct run *run, int64_t from_ns, int64_t to_ns)
{
    const double each_ns = run->quantum / run->rate * 1e9;
    const double epoch_ns = (double)run->engine->orders.epoch_ns;
    if (!run->load->timed)
        return run->rate * (double)(to_ns - from_ns) / 1e9;
    return run->quantum * (floor(((double)to_ns - epoch_ns) / each_ns + 0.5) -
                           floor(((double)from_ns - epoch_ns) / each_ns + 0.5));
}

/* Brings active time and offered amount up to now. */
void accounting_update(struct run *run, int64_t at_ns)
{
    struct engine *engine = run->engine;
    if (at_ns > engine->orders.end_ns)
        at_ns =
            engine->changed_ns > engine->orders.end_ns ? engine->changed_ns : engine->orders.end_ns;
    if (engine->orders.order == ORDER_RUN) {
        const int64_t passed_ns = at_ns - engine->changed_ns;
        engine->active_ns += passed_ns;
        if (run->load->accounting != NULL && run->load->accounting->offered != NULL)
            engine->offered += run->load->accounting->offered(run, engine->changed_ns, at_ns);
        else if (isfinite(run->rate))
            engine->offered += offered_between(run, engine->changed_ns, at_ns);
        else
            engine->unlimited_ns += passed_ns;
    }
    engine->changed_ns = at_ns;
}

static void add_worker(const struct worker *worker, struct snapshot *snapshot)
{
    const struct counts *counts = &worker->counts;
    snapshot->amount += atomic_load_explicit(&counts->amount, memory_order_relaxed);
    snapshot->operations += atomic_load_explicit(&counts->operations, memory_order_relaxed);
    snapshot->late += atomic_load_explicit(&counts->late, memory_order_relaxed);
    snapshot->dropped += atomic_load_explicit(&counts->dropped, memory_order_relaxed);
    if (worker->run->load->timed) {
        histogram_add(&snapshot->service, &worker->service);
        histogram_add(&snapshot->response, &worker->response);
    }
}

static int64_t process_cpu_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void accounting_snapshot(struct run *run, struct snapshot *snapshot)
{
    const struct load_accounting *own = run->load->accounting;
    memset(snapshot, 0, sizeof *snapshot);
    pthread_mutex_lock(&run->engine->mutex);
    accounting_update(run, now_ns());
    pthread_mutex_unlock(&run->engine->mutex);
    snapshot->active_ns = run->engine->active_ns;
    snapshot->unlimited_ns = run->engine->unlimited_ns;
    snapshot->offered = run->engine->offered;
    snapshot->cpu_ns = own != NULL && own->cpu_ns != NULL ? own->cpu_ns(run) : process_cpu_ns();
    for (unsigned i = 0; run->workers != NULL && i < run->threads; i++)
        add_worker(&run->workers[i], snapshot);
    if (own != NULL && own->delivered != NULL)
        snapshot->amount = own->delivered(run);
    if (own != NULL && own->count != NULL)
        own->count(run, snapshot->counters);
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
    for (int i = 0; i < LOAD_COUNTERS; i++)
        window->counters[i] -= earlier->counters[i];
    histogram_subtract(&window->service, &earlier->service);
    histogram_subtract(&window->response, &earlier->response);
}
