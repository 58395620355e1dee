#include "core/touches.h"

#include "counter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FITTING_NS      6000000 /* of measuring what fits */
#define FITTING_TOUCHES 4096    /* a few us: most are not interrupted */

enum counter { BUSY_NS, TOUCHES };
_Static_assert(TOUCHES + 1 == TOUCHES_COUNTERS, "the others are the load's own");

static struct touch_counts *counts_of(const struct run *run)
{
    const struct touch_state *state = run->state;
    return state->counts;
}

int touches_open(struct run *run)
{
    struct touch_state *state = run->state;
    state->counts = zeroed_lines(run->threads, sizeof *state->counts);
    if (state->counts == NULL)
        return run_fail(run, "no memory for %u workers: give fewer --threads", run->threads);
    return 0;
}

void touches_close(struct run *run)
{
    free(counts_of(run));
}

double touches_walk(struct worker *worker, touch_walk *walk, void *way, uint64_t touches)
{
    struct touch_counts *counts = &counts_of(worker->run)[worker->index];
    const int64_t start_ns = now_ns();
    walk(way, touches);
    counter_add(&counts->busy_ns, (uint64_t)(now_ns() - start_ns));
    counter_add(&counts->touches, touches);
    return (double)touches;
}

void touches_measure_fitting(struct worker *worker, touch_walk *walk, void *way)
{
    double least_ns = INFINITY;
    int64_t from_ns = now_ns();
    for (const int64_t end_ns = from_ns + FITTING_NS; from_ns < end_ns;) {
        walk(way, FITTING_TOUCHES);
        const int64_t to_ns = now_ns();
        least_ns = fmin(least_ns, (double)(to_ns - from_ns) / FITTING_TOUCHES);
        from_ns = to_ns;
    }
    atomic_store(&counts_of(worker->run)[worker->index].fitting_ns, least_ns);
}

void touches_count(struct run *run, double counters[LOAD_COUNTERS])
{
    const struct touch_counts *counts = counts_of(run);
    for (unsigned i = 0; counts != NULL && i < run->threads; i++) {
        counters[BUSY_NS] += (double)counter_read(&counts[i].busy_ns);
        counters[TOUCHES] += (double)counter_read(&counts[i].touches);
    }
}

/* The median of operations: who was interrupted in one of them does not matter. */
double touches_ns(const struct snapshot *window)
{
    const int64_t operation_ns = histogram_quantile(&window->service, 0.5);
    const double touches = window->counters[TOUCHES];
    return operation_ns < 0 || touches <= 0
               ? NAN
               : (double)operation_ns * (double)window->operations / touches;
}

static double ns_fitting(const struct run *run)
{
    const struct touch_counts *counts = counts_of(run);
    double sum_ns = 0;
    for (unsigned i = 0; i < run->threads; i++)
        sum_ns += atomic_load(&counts[i].fitting_ns);
    return sum_ns > 0 ? sum_ns / run->threads : NAN;
}

double touches_times_fitting(const struct run *run, const struct snapshot *window)
{
    return touches_ns(window) / ns_fitting(run);
}

void touches_busy(const struct snapshot *window, struct line *line)
{
    line_fixed(line, "busy_s", window->counters[BUSY_NS] / 1e9, 6);
}

void touches_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    touches_busy(window, line);
    line_fixed(line, "ns_per_touch", touches_ns(window), 4);
    line_fixed(line, "ns_per_touch_fitting", ns_fitting(run), 4);
    line_fixed(line, "times_fitting", touches_times_fitting(run, window), 4);
}

void touches_print(struct run *run, const struct snapshot *window, const char *what,
                   const char *where)
{
    const double each_ns = touches_ns(window);
    if (isnan(each_ns))
        return;
    report_print(&run->report,
                 "  %.2f ns for each %s (median of operations), %.1f times that of %s\n", each_ns,
                 what, touches_times_fitting(run, window), where);
}
