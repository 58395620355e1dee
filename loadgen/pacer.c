// When the next operation of a worker is due: it waits until then, and drops a debt of more than
// 100 ms.

#include "engine.h"

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
