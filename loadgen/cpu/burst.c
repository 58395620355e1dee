#include "cpu/burst.h"

#include "cpu/cpu-state.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Owed for longer than this, CPU time is dropped. */
#define DEBT_NS 100e6
/* A burst shorter than this would be mostly wake-up; periods are left out. */
#define SHORTEST_BURST_NS 50e3
/* The clock is read after about this much CPU time, and more often near the end
 * of a burst. It costs some 0.3 us, so 1 % of it is system time. */
#define LONGEST_SPIN_NS  30e3
#define SHORTEST_SPIN_NS 2e3
/* The least rest of a worker that catches up. */
#define SHORTEST_REST_NS 50e3
/* A worker that gets less of the CPU than this while busy shares it with others. */
#define CROWDED 0.75

struct spinner {
    struct kernel_state kernel;
    double rounds_per_ns; /* follows the CPU's present speed */
    uint32_t generation;  /* of the orders that the next fields belong to */
    double base_ns;       /* CPU time at which this worker's demand began, less what was dropped */
    double dropped_periods; /* the part of one that is not counted yet */
    double obtained;        /* smoothed share of the CPU that it gets during a burst */
};

/* ---- demand ---- */

/* CPU time in ns that a worker should have used at after_ns from the start. */
static double demand(const struct worker *worker, double after_ns)
{
    const struct cpu_state *state = cpu_state_of(worker->run);
    if (state->replay != NULL)
        return replay_demand(state->replay, worker->index, after_ns);
    return worker->orders.rate / worker->run->threads * fmax(after_ns, 0);
}

/* The inverse: how long after the start that much should have been used. */
static double when_due(const struct worker *worker, double used_ns)
{
    const struct cpu_state *state = cpu_state_of(worker->run);
    if (state->replay != NULL)
        return replay_when(state->replay, worker->index, used_ns);
    return worker->orders.rate > 0 ? used_ns * worker->run->threads / worker->orders.rate
                                   : INFINITY;
}

/* ---- one worker ---- */

static double thread_cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Spins until the thread has used until_ns in all, or deadline_ns has come, or
 * orders have changed. Returns the CPU time used in all. */
static double spin(struct worker *worker, struct spinner *spinner, double until_ns,
                   int64_t deadline_ns)
{
    const enum kernel kernel = (enum kernel)cpu_settings_of(worker->run)->kernel;
    double used_ns = thread_cpu_ns();
    while (used_ns < until_ns && now_ns() < deadline_ns) {
        if (!worker_running(worker) || worker->orders.generation != spinner->generation)
            break;
        const double wanted_ns = fmin(fmax(until_ns - used_ns, SHORTEST_SPIN_NS), LONGEST_SPIN_NS);
        const double rounds = fmax(wanted_ns * spinner->rounds_per_ns, 16);
        kernel_run(kernel, &spinner->kernel, (uint64_t)rounds);
        const double before_ns = used_ns;
        used_ns = thread_cpu_ns();
        const double rate = rounds / fmax(used_ns - before_ns, 1);
        spinner->rounds_per_ns += (rate - spinner->rounds_per_ns) / 8;
    }
    return used_ns;
}

/* Start of the first of this worker's periods that is not before at_ns. */
static int64_t period_start(const struct worker *worker, int64_t at_ns)
{
    const int64_t period_ns = cpu_settings_of(worker->run)->period_ns;
    const int64_t phase_ns = period_ns * worker->index / worker->run->threads;
    const int64_t first_ns = worker->orders.epoch_ns + phase_ns;
    if (at_ns <= first_ns)
        return first_ns;
    return first_ns + (at_ns - first_ns + period_ns - 1) / period_ns * period_ns;
}

/* What the worker should have used at the end of the burst that begins at
 * start_ns. Delivery then swings evenly around the demand: ahead after the
 * burst by as much as it was behind before. */
static double burst_target(const struct worker *worker, const struct spinner *spinner,
                           int64_t start_ns)
{
    const double period_ns = (double)cpu_settings_of(worker->run)->period_ns;
    const double after_ns = (double)(start_ns - worker->orders.epoch_ns);
    const double now_due_ns = demand(worker, after_ns);
    const double more_ns = demand(worker, after_ns + period_ns) - now_due_ns;
    return spinner->base_ns + now_due_ns + more_ns * (1 + more_ns / period_ns) / 2;
}

/* Drops what has been owed for too long. */
static void drop_debt(struct worker *worker, struct spinner *spinner, double used_ns)
{
    const double period_ns = (double)cpu_settings_of(worker->run)->period_ns;
    const double after_ns = (double)(now_ns() - worker->orders.epoch_ns);
    const double usual_ns = worker->orders.rate / worker->run->threads * period_ns;
    const double excess_ns = spinner->base_ns + demand(worker, after_ns - DEBT_NS) - used_ns;
    struct cpu_state *state = cpu_state_of(worker->run);
    if (excess_ns <= 0)
        return;
    spinner->base_ns -= excess_ns;
    atomic_fetch_add(&state->dropped_ns, (int64_t)excess_ns);
    /* Counted in periods of the mean demand, as lateness is in periods. */
    spinner->dropped_periods += excess_ns / usual_ns;
    const double whole = floor(spinner->dropped_periods);
    spinner->dropped_periods -= whole;
    worker_count(worker, 0, 0, 0, (uint64_t)whole);
}

/* When a burst has to end at the latest: a worker that catches up after a disturbance
 * keeps half of the usual rest, or else it would spin through many periods. One that
 * shares its CPU with others rests in any case. */
static int64_t burst_deadline(const struct worker *worker, const struct spinner *spinner,
                              int64_t start_ns)
{
    const double period_ns = (double)cpu_settings_of(worker->run)->period_ns;
    const double after_ns = (double)(start_ns - worker->orders.epoch_ns);
    const double busy_ns = demand(worker, after_ns + period_ns) - demand(worker, after_ns);
    double rest_ns = 0;
    if (spinner->obtained > CROWDED && period_ns - busy_ns > SHORTEST_REST_NS)
        rest_ns = fmax((period_ns - busy_ns) / 2, SHORTEST_REST_NS);
    return start_ns + (int64_t)(period_ns - rest_ns);
}

/* One period: the burst and the debt; the rest is slept by the caller. */
static void work_period(struct worker *worker, struct spinner *spinner, int64_t start_ns)
{
    const double target_ns = burst_target(worker, spinner, start_ns);
    const double before_ns = thread_cpu_ns();
    const int64_t deadline_ns = burst_deadline(worker, spinner, start_ns);
    const double used_ns = spin(worker, spinner, target_ns, deadline_ns);
    const double passed_ns = fmax((double)(now_ns() - start_ns), 1);
    if (worker->orders.generation != spinner->generation)
        return;
    spinner->obtained += ((used_ns - before_ns) / passed_ns - spinner->obtained) / 16;
    if (used_ns < target_ns) {
        worker_count(worker, 0, 0, 1, 0);
        drop_debt(worker, spinner, used_ns);
    }
}

/* When the next burst begins: at the next period, or the first one in which
 * there is enough to do. Periods that are over before it could begin are late. */
static int64_t next_start(struct worker *worker, const struct spinner *spinner, int64_t start_ns)
{
    const int64_t period_ns = cpu_settings_of(worker->run)->period_ns;
    const double enough_ns = fmin(SHORTEST_BURST_NS, (double)period_ns / 2);
    const double wanted_ns = thread_cpu_ns() - spinner->base_ns + enough_ns;
    const double due_ns = when_due(worker, wanted_ns);
    int64_t next_ns = start_ns + period_ns;
    if (due_ns > 4e18)
        return INT64_MAX;
    const int64_t from_ns = worker->orders.epoch_ns + (int64_t)due_ns - period_ns;
    if (from_ns > next_ns)
        next_ns = period_start(worker, from_ns);
    if (now_ns() - next_ns > period_ns) {
        const int64_t missed_ns = next_ns;
        next_ns = period_start(worker, now_ns() - period_ns);
        worker_count(worker, 0, 0, (uint64_t)((next_ns - missed_ns) / period_ns), 0);
    }
    return next_ns;
}

void cpu_burst_work(struct worker *worker)
{
    struct spinner *spinner = worker->state;
    const int64_t period_ns = cpu_settings_of(worker->run)->period_ns;
    int64_t start_ns = 0;
    while (worker_running(worker)) {
        if (worker->orders.generation != spinner->generation) {
            spinner->generation = worker->orders.generation;
            spinner->base_ns = thread_cpu_ns();
            start_ns = period_start(worker, worker->orders.epoch_ns);
            start_ns = next_start(worker, spinner, start_ns - period_ns);
        }
        if (worker_sleep_until(worker, start_ns) &&
            worker->orders.generation == spinner->generation) {
            work_period(worker, spinner, start_ns);
            start_ns = next_start(worker, spinner, start_ns);
        }
    }
}

int cpu_burst_begin(struct worker *worker)
{
    struct spinner *spinner = calloc(1, sizeof *spinner);
    if (spinner == NULL)
        return worker_fail(worker, "out of memory: give fewer --threads");
    kernel_init(&spinner->kernel);
    spinner->rounds_per_ns = 0.1;
    spinner->obtained = 1;
    worker->state = spinner;
    return 0;
}

void cpu_burst_end(struct worker *worker)
{
    free(worker->state);
    worker->state = NULL;
}
